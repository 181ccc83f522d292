"""In Bochs: MSRs are there or fault, no counter ever counts, and all is left as it was."""

import pytest

import bochs
import watch
from bochs import ALL, Msr, from_bit, read_only
from machine import SHORT, Volume, prepare_image

NEEDS = ["bochs", "bochs-term", "vgabios"]

SMI_COUNT = 0x34
GENERAL, FIXED = 4, 3  # counters that CPUID.0AH announces, in version 3

# A driver of the counters may touch these, as on a Haswell (SDM volume 4, tables 2-2 and 2-29), but for one selector and
# IA32_MISC_ENABLE: reading those two faults. The first values let no counter count. Most are not zero: clearing in
# place of restoring is seen.
COUNTERS = {
    SMI_COUNT: read_only(7),  # MSR_SMI_COUNT
    # IA32_BIOS_SIGN_ID: Bochs' CPUID does not fill it in, so that a part of it stays when it is cleared.
    0x8B: Msr(0x28_0000_0000, ignored=0x20_0000_0000),
    0xCE: read_only(0x0000_0800_0000_2200),  # MSR_PLATFORM_INFO: ratios 34 and 8
    **{0xC1 + n: Msr(0x1000 + n, reserved=from_bit(48)) for n in range(GENERAL)},  # IA32_PMCn
    **{0x4C1 + n: Msr(0x1000 + n, reserved=from_bit(48)) for n in range(GENERAL)},  # IA32_A_PMCn
    0xE7: read_only(5), 0xE8: read_only(5),  # IA32_MPERF and IA32_APERF, which stand still
    # IA32_PERFEVTSELn, but for the last
    **{0x186 + n: Msr(0x0001_003C, reserved=from_bit(32)) for n in range(GENERAL - 1)},
    0x198: read_only(0x2200),  # IA32_PERF_STATUS
    0x199: Msr(0x2200),  # IA32_PERF_CTL
    0x1A4: Msr(0x2, reserved=from_bit(4)),  # MSR_MISC_FEATURE_CONTROL: prefetchers
    0x1B0: Msr(0x6, reserved=from_bit(4)),  # IA32_ENERGY_PERF_BIAS
    0x1D9: Msr(0x0),  # IA32_DEBUGCTL
    **{0x309 + n: Msr(0x2000 + n, reserved=from_bit(48)) for n in range(FIXED)},  # IA32_FIXED_CTRn
    0x345: read_only(0x12C4),  # IA32_PERF_CAPABILITIES: writes are 32 bits wide
    0x38D: Msr(0x888, reserved=from_bit(12)),  # IA32_FIXED_CTR_CTRL
    0x38E: read_only(0),  # IA32_PERF_GLOBAL_STATUS
    0x38F: Msr(0xF, reserved=ALL ^ 0x7_0000_000F),  # IA32_PERF_GLOBAL_CTRL
    0x390: Msr(ignored=ALL),  # IA32_PERF_GLOBAL_OVF_CTRL: reads as 0
    0x620: Msr(0x0C18, reserved=from_bit(15)),  # MSR_UNCORE_RATIO_LIMIT: 1200 to 2400 MHz
    0x621: read_only(0x14),  # MSR_UNCORE_PERF_STATUS: 2000 MHz
}

# Machine-check banks: two, of which the second holds a corrected error from before (SDM volume 3B, 16.3).
BANKS = {
    0x179: read_only(2),  # IA32_MCG_CAP
    0x17A: Msr(0),  # IA32_MCG_STATUS
    0x401: read_only(0),  # IA32_MC0_STATUS
    0x405: read_only(0x9400_0000_0000_009F),  # IA32_MC1_STATUS
    0x406: read_only(0x1234_5000),  # IA32_MC1_ADDR
}

APIC_BASE = 0x1B
X2APIC = 0xFEE0_0D00  # enabled, in x2APIC mode, on the boot processor


# run.json says this of all that, by "object.key".
SAYS = {
    "processor.vendor": "GenuineIntel",
    "processor.model": 60,
    "processor.virtual": False,
    "changed_and_restored.not_restored": "",
    "counters.unit": "Intel with global control",
    "counters.version": 3,
    "counters.present": "0x70000000f",
    "counters.in_use_by_firmware": "0x0",
    "counters.usable": "0x0",
    "counters.not_stopped_by_overflow": "",  # DEBUGCTL took the bit, and has it no more
    **{f"counters.why_not.PMC{n}": "it does not move: RDPMC does not show what was written"
       for n in range(GENERAL - 1)},
    f"counters.why_not.PMC{GENERAL - 1}": "its selector cannot be read",
    **{f"counters.why_not.FIXED{n}": "RDPMC faults" for n in range(FIXED)},
    "settings.prefetch_1a4.found":
        "L2 streamer on, L2 adjacent line off, L1 next line on, L1 stride on",
    "settings.prefetch_1a4.read_back": "0x0",
    "settings.prefetch_1a4.not_controllable": "",
    "settings.energy_hint_1b0.read_back": "0x0",
    "settings.turbo_1a0.not_controllable": "the register cannot be read",
    "settings.core_clock.p_state": 0x22,
    "settings.core_clock.not_known": "APERF and MPERF stand still, as in an emulator",
    "memory.encryption": "off: the processor has none",
    "uncore.not_known": "",
    "uncore.permitted_least_mhz": 1200,
    "uncore.permitted_most_mhz": 2400,
    "uncore.least_mhz.mlp": 2000,
    "uncore.most_mhz.tlb": 2000,
    "machine.cores.core_0.microcode": "0x20",
    "machine.cores.core_0.signature": "0x306c3",
    "machine.cores.core_0.apic_id": 0,
    "hardware_errors.machine_check_banks": 2,
    "hardware_errors.machine_checks_found": 1,
    "hardware_errors.machine_checks_noticed": 0,
}

# What there is besides: chains through pages of our own tables, stores, and spans that no counter can count.
FURTHER = ("experiments = mlp tlb smt loaded timeline\nmlp.access = load store nt\n"
           "tlb.pages = 4\ntlb.loads = 1\nloaded.bytes = 2m\n")


def at(run, path):
    """The value at "object.key" in run.json."""
    for name in path.split("."):
        run = run[name]
    return run


def test_counters_that_stand_still_are_found_and_left_as_they_were(tmp_path):
    """The interrupt controller is an x2APIC, as in large machines."""
    msrs = {**COUNTERS, **BANKS}
    config = SHORT.replace("2m 4k", "4k") + "prefetch = on\nturbo = on\n" + FURTHER
    image = prepare_image(tmp_path, config, "shutdown")
    watch.install(Volume(image), [*msrs, *watch.MTRRS], {APIC_BASE: X2APIC})
    machine = bochs.boot(tmp_path, image=image, msrs=msrs)
    run = machine.check_done().run
    watched = watch.check_restored(machine.volume, msrs)
    # From 3.1 on Bochs has MPERF and APERF itself, which count.
    own = {index for index in (0xE7, 0xE8) if watched.before[f"msr-{index:x}"] != watched.after[f"msr-{index:x}"]}
    says = {**SAYS, **({"settings.core_clock.not_known": ""} if own else {})}
    assert {path: at(run, path) for path in says} == says
    assert all(watched.before[f"msr-{index:x}"] == msr.first for index, msr in msrs.items() if index not in own)
    assert {access for access, _ in machine.refused()} == {"RDMSR"}  # nothing is written that cannot be read
    assert watched.before[f"msr-{APIC_BASE:x}"] == X2APIC


def test_what_a_hypervisor_refuses_costs_nothing_else(tmp_path):
    """
    It faults where the SMIs are counted, as others than KVM do; two of its prefetchers' bits are reserved.
    `noise` reads that counter outside of the quiet section.
    """
    msrs = {**{index: msr for index, msr in COUNTERS.items() if index != SMI_COUNT},
            0x1A4: Msr(0xF, reserved=from_bit(2))}
    config = SHORT.replace("2m 4k", "4k") + "prefetch = on\nexperiments = noise mlp\n"
    machine = bochs.boot(tmp_path, config, msrs=msrs)
    run = machine.check_done().run
    assert ("RDMSR", SMI_COUNT) in machine.refused()
    assert run["certificate"]["smi_during_run"] is None
    setting = run["settings"]["prefetch_1a4"]
    assert setting["refused"] == "L1 next line, L1 stride"
    assert (setting["asked"], setting["read_back"], setting["not_controllable"]) == ("0x0", "0xc", "")


def test_a_processor_without_mwait_waits_and_measures(tmp_path):
    """It waits for orders by PAUSE; MWAIT and MONITOR would fault. Nearly none of AMD's registers is there."""
    config = SHORT.replace("2m 4k", "4k") + "core = 1\n"
    machine = bochs.boot(tmp_path, config, cpu=bochs.VENICE)
    results = machine.check_done()
    processors = results.run["processors"]
    assert processors["measuring_apic_id"] == processors["apic_id_while_measuring"] == 1
    assert len(results.points()["4k"]) == 9


def test_what_hangs_is_killed_and_told(tmp_path):
    with bochs.Bochs(tmp_path) as machine:
        with pytest.raises(pytest.fail.Exception, match="still running after 0.5 s"):
            machine.wait(0.5)
        assert machine.process.returncode is not None
    assert not machine.ended_well()
