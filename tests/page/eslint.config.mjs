// What is looked for in the page's modules: names that nobody defines or nobody uses, and who may know whom.
import globals from "globals";

// A room knows itself and those before it.
const ROOMS = ["data", "draw", "sections"];

const walls = ROOMS.map((room, i) => ({
    files: [`images/page/${room}/**`],
    rules: {
        "no-restricted-imports": ["error", {
            patterns: [{ regex: `^\\.\\./(${[...ROOMS.slice(i + 1), "[a-z]+\\.js$"].join("|")})`,
                message: `${room} knows only what is below it` }],
        }],
    },
}));

export default [
    { languageOptions: { globals: globals.browser } },
    { files: ["**/*.mjs"], languageOptions: { globals: globals.node } },
    { rules: { "no-undef": "error", "no-unused-vars": "error", "prefer-const": "error", "eqeqeq": "error" } },
    ...walls,
];
