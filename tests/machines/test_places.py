"""Where results go when the volume booted from takes none."""

from machine import SHORT, Volume, boot, prepare_image, tool, without_fill


def make_marked(path):
    """A disk without partitions, as cards are, that says of itself that somebody wrote and did not end."""
    tool("mkfs.fat", "-C", "-F", "16", "-n", "LAB DISK", path, "32768")
    volume = Volume(path, offset=0)
    volume.write("/mlpboot.results", b"")
    with open(path, "r+b") as image:
        image.seek(37)
        image.write(b"\1")
    return volume


def added(volume, name):
    """Options that add its disk to a machine."""
    return ["-drive", f"if=none,id={name},format=raw,file={volume.image}", "-device", f"virtio-blk-pci,drive={name}"]


def make_wrongly_marked(path):
    tool("mkfs.fat", "-C", "-F", "16", "-n", "WRONG", path, "32768")
    volume = Volume(path, offset=0)
    volume.make_directory("/mlpboot.results")
    return volume


def test_a_marked_volume_takes_them_from_a_read_only_stick(tmp_path):
    wrong = make_wrongly_marked(tmp_path / "wrong.img")
    marked = make_marked(tmp_path / "marked.img")
    image = prepare_image(tmp_path, SHORT, "shutdown")
    machine = boot(tmp_path, image=image, readonly=True,
                   extra=[*added(wrong, "wrong"), *added(marked, "second")])
    for words in ("the volume booted from takes no results: the volume is write protected",
                  "a marked volume takes no results: "
                  "\\mlpboot.results is a directory, and has to be a file",
                  "the marked volume LAB DISK is dirty: have an operating system check it",
                  "results go to \\results\\0001 on the marked volume LAB DISK",
                  "It is safe to remove the stick."):
        assert machine.says(words), machine.evidence()
    results = marked.results()
    assert all(data == without_fill(data) for data in results.files.values())
    assert results.log[-1] == "event=done status=done"
    places = [line for line in results.log if line.startswith("event=place ")]
    assert len(places) == 3 and "write protected" in places[0] and "LAB DISK" in places[2]
    assert "a marked volume" in places[1] and "is a directory" in places[1]
    assert marked.read("/mlpboot.state")
    assert "Dirty bit is set" in marked.fsck()  # as it was: nobody has checked it
    assert Volume(image).runs() == []


def test_a_marker_that_windows_named_is_found_and_refused(tmp_path):
    volume = make_marked(tmp_path / "other.img")
    volume.remove("/mlpboot.results")
    volume.write("/mlpboot.results.txt", b"")
    machine = boot(tmp_path, "experiments = none\n", readonly=True, extra=added(volume, "second"))
    for words in ("another volume takes no results: \\mlpboot.results.txt is no mark; "
                  "it has to be named \\mlpboot.results",
                  "no FAT volume has a file \\mlpboot.results"):
        assert machine.says(words), machine.evidence()


def test_a_stick_that_can_give_no_folder_is_left_as_it_was(tmp_path):
    """Two configurations in one boot: each begins with the stick, and each goes to the marked volume."""
    marked = make_marked(tmp_path / "marked.img")
    image = prepare_image(tmp_path, SHORT, "shutdown")
    stick = Volume(image)
    tool("mrd", "-i", stick.mtools, "::/results")
    stick.write("/results", b"no directory")
    stick.make_directory("/mlpboot.d")
    stick.write("/mlpboot.d/a.cfg", b"label = a\n")
    stick.write("/mlpboot.d/b.cfg", b"label = b\n")
    machine = boot(tmp_path, image=image, extra=added(marked, "second"))
    assert machine.ended_well(), machine.evidence()
    assert machine.says("the volume booted from takes no results: it has no folder \\results"), machine.evidence()
    assert [marked.results(number).run["label"] for number in (1, 2)] == ["a", "b"]
    assert stick.fsck() == ""
    assert stick.read("/results") == b"no directory"
    assert "mlpboot.state" not in stick.list()
