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
