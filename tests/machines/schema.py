"""schema: what images/run.schema.json says of a run.json."""

import functools
import json
from pathlib import Path

from jsonschema import Draft202012Validator

PATH = Path(__file__).resolve().parents[2] / "images/run.schema.json"


@functools.cache
def validator():
    schema = json.loads(PATH.read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def complaints(conditions):
    """What is wrong with the object that a run.json holds: "where: what" each; none: nothing."""
    return ["/".join(map(str, error.absolute_path)) + ": " + error.message[:300]
            for error in validator().iter_errors(conditions)]
