"""Configurations, right and wrong: the booted image and check-config judge them alike. What is judged, and in which
words, is tested in tests/unit/test_config.c: the parser is the same."""

import subprocess

import pytest

from machine import BUILD, SHORT, boot, mlp_alone, squeeze

END = "finish = shutdown\n"

# Rows: lines whose last one is wrong, and the message about it.
WRONG = {
    "word-list": (END + "experiments = mlp dance", ["experiments", "dance"]),
    "long": (END + "label = " + "x" * 300, ["label", "xxxxxxxx"]),
    "bytes": (END + "label = \xff\xfe", ["label"]),
    "finish": ("finish = explode", ["finish", "explode"]),
}

COMMENTED = "# a comment\n\n\t \n" + (END + mlp_alone(SHORT)).replace("\n", "\t # why = because\n").replace("=", "  =\t")
RIGHT = b"\xef\xbb\xbf" + COMMENTED.rstrip("\n").replace("\n", "\r\n").encode()


def check_config(folder, data):
    """What build/mlpboot-hosted says: (is it right, its words)."""
    path = folder / "mlpboot.cfg"
    path.write_bytes(data)
    done = subprocess.run([BUILD / "mlpboot-hosted", "check-config", path], capture_output=True, text=True)
    assert done.returncode >= 0, "check-config crashed"
    return done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("text, words", WRONG.values(), ids=WRONG.keys())
def test_wrong_configuration_is_refused(tmp_path, text, words):
    """The message names the file, the line, the key, the value and what is accepted."""
    data = text.encode("latin-1") + b"\n"
    wanted = [squeeze(part) for part in (f"mlpboot.cfg:{text.count(chr(10)) + 1}:", *words, "accepted:")]
    right, said = check_config(tmp_path, data)
    assert not right and all(part in squeeze(said) for part in wanted), said
    # Without a valid `finish`, the image waits for a key: the default.
    machine = boot(tmp_path, data, finish=None, key_at_prompt=END not in text)
    assert machine.exit_code == 0
    results = machine.volume.results()
    for said in (machine.console, results.files["log.txt"].decode()):
        assert all(part in squeeze(said) for part in wanted), said
    assert results.log[-1] == "event=done status=error"
    assert not results.files.get("results.csv") or results.rows == []
    assert machine.volume.fsck() == ""


def test_a_file_of_any_editor_is_measured(tmp_path):
    """It begins with a byte-order mark, has comments and the line ends of DOS, and none at its end."""
    right, words = check_config(tmp_path, RIGHT)
    assert right, words
    assert boot(tmp_path, RIGHT, finish=None).check_done().pages() == {"2m", "4k"}


def test_what_a_machine_may_lack_is_no_error_of_the_file(tmp_path):
    right, words = check_config(tmp_path, b"mlp.bytes = 64g\ncore = 99\n")
    assert right and "right; a run tells which of its cores, pages and sizes the machine lacks\n" in words
    right, words = check_config(tmp_path, b"mlp.bytes = 65g\n")
    assert not right and "mlp.bytes = 65g" in words


@pytest.mark.parametrize("data, word", [(b"# " + b"x" * 70000, "65536"),
                                        ("suite = quick\n".encode("utf-16"), "UTF-16")])
def test_what_is_no_configuration_at_all_is_refused(tmp_path, data, word):
    right, words = check_config(tmp_path, data)
    assert not right and word in words
    machine = boot(tmp_path, data, finish=None, key_at_prompt=True)
    assert machine.says(word)
    assert machine.volume.results().log[-1] == "event=done status=error"
