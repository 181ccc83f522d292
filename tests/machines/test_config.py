"""Configurations, right and wrong: the booted image and check-config judge them alike."""

import subprocess
from dataclasses import dataclass

import pytest

from machine import BUILD, SHORT, boot, mlp_alone, squeeze

END = "finish = shutdown\n"


@dataclass
class Wrong:
    text: str  # one or more lines; the last one is wrong
    key: str = ""
    seen: str = ""  # the value as the message shows it
    finish: str = END
    boots: bool = False  # the image is to refuse it, too; it has the same parser

    @property
    def data(self):
        return (self.finish + self.text + "\n").encode("latin-1")

    @property
    def line(self):
        return self.data.count(b"\n")

    def tells(self, message):
        """Whether a message names the file, the line, the key, the value and what is accepted."""
        return all(squeeze(part) in squeeze(message)
                   for part in (f"mlpboot.cfg:{self.line}:", self.key, self.seen, "accepted:"))


WRONG = {
    "word": Wrong("pages = 3m", "pages", "3m"),
    "word-list": Wrong("experiments = mlp dance", "experiments", "dance", boots=True),
    "word-twice": Wrong("pages = 2m 4k 2m", "pages", "2m 4k 2m"),
    "unknown-key": Wrong("mlp.load = 1-3", "mlp.load"),
    "key-twice": Wrong("suite = quick\nsuite = full", "suite", "full"),
    "no-equals": Wrong("measure everything", "measure everything"),
    "no-key": Wrong("= quick", "= quick"),
    "no-value": Wrong("mlp.loads =", "mlp.loads"),
    "too-small": Wrong("mlp.loads = 0-3", "mlp.loads", "0-3"),
    "too-large": Wrong("mlp.fillers = 0-9999/8", "mlp.fillers", "0-9999/8"),
    "backwards": Wrong("mlp.loads = 5-2", "mlp.loads", "5-2"),
    "step-0": Wrong("mlp.fillers = 0-64/0", "mlp.fillers", "0-64/0"),
    "factor-1": Wrong("mlp.loads = 1-8*1", "mlp.loads", "1-8*1"),
    "not-a-number": Wrong("seed = twelve", "seed", "twelve"),
    "overflow": Wrong("mlp.bytes = 99999999999999999999", "mlp.bytes", "99999999999999999999"),
    "unit": Wrong("mlp.bytes = 64q", "mlp.bytes", "64q"),
    "fraction": Wrong("samples.precision = -1%", "samples.precision", "-1%"),
    "too-many": Wrong("mlp.fillers = 0-4096/2", "mlp.fillers", "2049 numbers"),
    "reserved": Wrong("case = x-warm", "case", "x-warm: warm"),
    "contradiction": Wrong("samples.max = 10\nsamples.min = 20", "samples.min", "20"),
    "long": Wrong("label = " + "x" * 300, "label", "xxxxxxxx", boots=True),
    "bytes": Wrong("label = \xff\xfe", "label", boots=True),
    "finish": Wrong("finish = explode", "finish", "explode", finish="", boots=True),
}

RIGHT_ONE = END + mlp_alone(SHORT)
COMMENTED = "# a comment\n\n\t \n" + RIGHT_ONE.replace("\n", "\t # why = because\n").replace("=", "  =\t")
RIGHT = {
    "crlf": RIGHT_ONE.replace("\n", "\r\n").encode(),
    "no-final-newline": RIGHT_ONE.rstrip("\n").encode(),
    "byte-order-mark": b"\xef\xbb\xbf" + RIGHT_ONE.encode(),
    "comments-and-blanks": COMMENTED.encode(),
    "all-of-it": b"\xef\xbb\xbf" + COMMENTED.rstrip("\n").replace("\n", "\r\n").encode(),
}


def check_config(folder, data):
    """What build/mlpboot-hosted says: (is it right, its words)."""
    path = folder / "mlpboot.cfg"
    path.write_bytes(data)
    done = subprocess.run([BUILD / "mlpboot-hosted", "check-config", path], capture_output=True,
                          text=True)
    assert done.returncode >= 0, "check-config crashed"
    return done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_wrong_configuration_is_refused(tmp_path, wrong):
    right, words = check_config(tmp_path, wrong.data)
    assert not right and wrong.tells(words), words


@pytest.mark.parametrize("name", [name for name, wrong in WRONG.items() if wrong.boots])
def test_the_image_refuses_it_too(tmp_path, name):
    wrong = WRONG[name]
    # Without a valid `finish`, the image waits for a key: the default.
    machine = boot(tmp_path, wrong.data, finish=None, key_at_prompt=not wrong.finish)
    assert machine.exit_code == 0
    assert wrong.tells(machine.console), machine.console
    results = machine.volume.results()
    assert wrong.tells(results.files["log.txt"].decode()), results.log
    assert results.log[-1] == "event=done status=error"
    assert not results.files.get("results.csv") or results.rows == []
    assert machine.volume.fsck() == ""


@pytest.mark.parametrize("data", RIGHT.values(), ids=RIGHT.keys())
def test_right_configuration_is_taken(tmp_path, data):
    right, words = check_config(tmp_path, data)
    assert right, words


def test_what_a_machine_may_lack_is_no_error_of_the_file(tmp_path):
    right, words = check_config(tmp_path, b"mlp.bytes = 64g\ncore = 99\n")
    assert right and "right; a run tells which of its cores, pages and sizes the machine lacks\n" in words
    right, words = check_config(tmp_path, b"mlp.bytes = 65g\n")
    assert not right and "mlp.bytes = 65g" in words


def test_the_image_measures_it(tmp_path):
    assert boot(tmp_path, RIGHT["all-of-it"], finish=None).check_done().pages() == {"2m", "4k"}


def test_comments_alone_are_the_default(tmp_path):
    right, words = check_config(tmp_path, b"# nothing\n\n  # to say")
    assert right, words


@pytest.mark.parametrize("data, word", [(b"# " + b"x" * 70000, "65536"),
                                        ("suite = quick\n".encode("utf-16"), "UTF-16")])
def test_what_is_no_configuration_at_all_is_refused(tmp_path, data, word):
    right, words = check_config(tmp_path, data)
    assert not right and word in words
    machine = boot(tmp_path, data, finish=None, key_at_prompt=True)
    assert machine.says(word)
    assert machine.volume.results().log[-1] == "event=done status=error"
