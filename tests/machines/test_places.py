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


def test_a_marked_volume_takes_them_from_a_read_only_stick(tmp_path):
    marked = make_marked(tmp_path / "marked.img")
    second = ["-drive", f"if=none,id=second,format=raw,file={marked.image}", "-device", "virtio-blk-pci,drive=second"]
    image = prepare_image(tmp_path, SHORT, "shutdown")
    machine = boot(tmp_path, image=image, disk="virtio", readonly=True, extra=second)
    for words in ("the volume booted from takes no results: the volume is write protected",
                  "the marked volume LAB DISK: have it checked by an operating system: its dirty bit is set",
                  "results go to \\results\\0001 on the marked volume LAB DISK",
                  "It is safe to remove the stick."):
        assert machine.says(words), machine.evidence()
    results = marked.results()
    assert all(data == without_fill(data) for data in results.files.values())
    assert results.log[-1] == "event=done status=done"
    places = [line for line in results.log if line.startswith("event=place ")]
    assert len(places) == 2 and "write protected" in places[0] and "LAB DISK" in places[1]
    assert marked.read("/mlpboot.state")
    assert "Dirty bit is set" in marked.fsck()  # as it was: nobody has checked it
    assert Volume(image).runs() == []


def test_a_stick_that_can_give_no_folder_is_left_as_it_was(tmp_path):
    """Two configurations in one boot: each begins with the stick, and each goes to the marked volume."""
    marked = make_marked(tmp_path / "marked.img")
    second = ["-drive", f"if=none,id=second,format=raw,file={marked.image}", "-device", "virtio-blk-pci,drive=second"]
    image = prepare_image(tmp_path, SHORT, "shutdown")
    stick = Volume(image)
    tool("mrd", "-i", stick.mtools, "::/results")
    stick.write("/results", b"no directory")
    stick.make_directory("/mlpboot.d")
    stick.write("/mlpboot.d/a.cfg", b"label = a\n")
    stick.write("/mlpboot.d/b.cfg", b"label = b\n")
    machine = boot(tmp_path, image=image, disk="virtio", extra=second)
    assert machine.ended_well(), machine.evidence()
    assert machine.output.count(b"takes no results: \\results is there, and no directory") == 2, machine.evidence()
    assert [marked.results(number).run["label"] for number in (1, 2)] == ["a", "b"]
    assert stick.fsck() == ""  # no dirty bit, where nothing was written
    assert stick.read("/results") == b"no directory"
    assert stick.read("/mlpboot.state")
