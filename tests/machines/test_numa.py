"""Memory nodes: what the firmware tells of them, and that an array lies on the one asked for."""

import subprocess

from machine import BUILD, Results, boot

HOSTED = BUILD / "mlpboot-hosted"
MEGABYTE = 1 << 20

SHORT = """\
pages = 4k
mlp.loads = 1 2 10
mlp.fillers = 0 32
mlp.dependent = 1-2
mlp.bytes = 4m
array.bytes = 64k 1m
array.loads = 1
samples.min = 5
samples.max = 5
"""


def nodes_of(megabytes, cpu_on):
    """QEMU's arguments for one node of each size, the only processor on one of them."""
    arguments = []
    for number, size in enumerate(megabytes):
        cpus = ",cpus=0" if number == cpu_on else ""
        arguments += ["-object", f"memory-backend-ram,id=m{number},size={size}M",
                      "-numa", f"node,nodeid={number}{cpus},memdev=m{number}"]
    return arguments


def distances_of(matrix):
    return [argument for source, row in enumerate(matrix) for target, value in enumerate(row)
            for argument in ("-numa", f"dist,src={source},dst={target},val={value}")]


def ranges_of(megabytes):
    """Where the nodes are: side by side from address 0, as long as they end below 2 GB (q35)."""
    starts = [sum(megabytes[:number]) * MEGABYTE for number in range(len(megabytes))]
    return [(start, start + size * MEGABYTE) for start, size in zip(starts, megabytes)]


def check_nodes(results, megabytes, matrix, own):
    """run.json says what QEMU was told; the node of the processor stands first, the near ones next."""
    numa = results.run["numa"]
    assert (numa["nodes"], numa["own"], numa["reason"]) == (len(megabytes), own, "")
    order = [int(number) for number in numa["numbers"].split()]
    assert order == sorted(range(len(megabytes)), key=lambda node: (node != own, matrix[own][node], node))
    for number, size in enumerate(megabytes):
        node = numa[f"node_{number}"]
        hole = 384 << 10 if number == 0 else 0  # between 640 KB and 1 MB
        assert node["bytes"] == size * MEGABYTE - hole
        assert 0 < node["free_bytes"] <= node["bytes"]
        assert [int(value) for value in node["distances"].split()] == [
            matrix[number][other] for other in order]
    return numa


def check_last_array(results, megabytes, node):
    """The last array was asked of that node, and lay there."""
    start, end = ranges_of(megabytes)[node]
    assert start <= int(results.run["memory"]["array_at"], 16) < end


def cases_of(results, experiment):
    return {row["case"] for row in results.rows if row["experiment"] == experiment}


def verdicts_of(results, experiment, case):
    return {verdict["name"]: verdict for verdict in results.verdicts
            if (verdict["experiment"], verdict["case"]) == (experiment, case)}


def check_analyze(results, folder):
    """The stored rows alone give the same verdicts, to the byte."""
    (folder / "stored.csv").write_bytes(results.files["results.csv"])
    done = subprocess.run([HOSTED, "analyze", folder / "stored.csv"], capture_output=True)
    assert done.stdout == results.files["verdicts.csv"], done.stderr


def check_extra(results):
    """Other nodes have what they cost more, though an emulator has no number for it."""
    for experiment in ("mlp", "numa"):
        of_node = verdicts_of(results, experiment, "4k-node3")
        assert not any(name.startswith("node_") for name in verdicts_of(results, experiment, "4k"))
        for name in ("one_load", "two_loads", "ten_loads", "two_sequential", "mlp"):
            assert (of_node[f"node_{name}_extra"]["reason"], of_node[f"node_{name}_extra"]["value"]) == ("emulated", "")


def test_four_nodes(tmp_path):
    sizes, own = (128, 64, 160, 96), 2
    matrix = ((10, 15, 30, 20), (15, 10, 40, 50), (30, 40, 10, 20), (20, 50, 20, 10))
    machine = boot(tmp_path, SHORT + "experiments = mlp array numa\nnode = all\ncore = node2\n", memory=sum(sizes), timeout=400,
                   extra=nodes_of(sizes, cpu_on=own) + distances_of(matrix))
    results = machine.check_done()
    numa = check_nodes(results, sizes, matrix, own)
    check_last_array(results, sizes, 1)
    assert list(dict.fromkeys(row["case"] for row in results.own_rows if row["experiment"] == "mlp")) == [
        f"4k{node}{suffix}" for node in ("", "-node3", "-node0", "-node1") for suffix in ("", "-dependent")]
    assert cases_of(results, "array") == cases_of(results, "numa") == {"4k", "4k-node3", "4k-node0", "4k-node1"}
    check_extra(results)
    assert machine.says("memory nodes: 4, this processor's is 2")
    assert numa["no_distances"] == ""
    check_analyze(results, tmp_path)


def test_the_only_memory_is_of_another_node(tmp_path):
    """Memory is remote then, and is not called local, although there is one node of it."""
    machine = boot(tmp_path, SHORT + "experiments = mlp\nnode = all\ncore = 1\n", memory=256, smp="2,sockets=2,cores=1", timeout=400, extra=[
            *nodes_of([256], cpu_on=0), "-numa", "node,nodeid=1,cpus=1"])
    results = machine.check_done()
    assert machine.says("memory nodes: SRAT: this processor's node has no memory")
    assert cases_of(results, "mlp") == {"4k-node0", "4k-node0-dependent"}


def test_where_no_table_tells_of_nodes_that_is_the_reason(tmp_path):
    """What else keeps nodes from being known has units: each reason of node_tables.c, and a single node."""
    reason = "SRAT: there is no such ACPI table"
    machine = boot(tmp_path, SHORT + "experiments = mlp numa\nnode = all\n", timeout=400)
    results = machine.check_done()
    numa = results.run["numa"]
    assert (numa["nodes"], numa["reason"], numa["no_distances"]) == (0, reason, reason)
    assert machine.says(f"memory nodes: {reason}")
    assert cases_of(results, "mlp") == {"4k", "4k-dependent", "4k-remote"}
    assert cases_of(results, "numa") == {"4k-remote"}
    assert {row["unit"] for row in results.rows if row["case"] == "4k-remote"} == {reason}
    for experiment in ("mlp", "numa"):
        remote = verdicts_of(results, experiment, "4k-remote").values()
        assert {(verdict["status"], verdict["reason"]) for verdict in remote} == {("skip", "unavailable")}
        assert all(verdict["method"].endswith(f"; {reason}") for verdict in remote)
    check_analyze(results, tmp_path)
