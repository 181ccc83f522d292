/* test_identity_of_core: what CPUID proves of cores whose additions per cycle nobody published. */
#include "../../kernel/cpu/processor.h"
#include "../../kernel/cpu/topology.h"
#include "kit.h"
#include "registers_model.h"

/* Their sizes are ok only where this is proven, or the siblings sleep, or pairs of loads tell. */
TEST(threads_of_cores_in_no_table)
{
    static const struct {
        const char *machine;
        bool has_one_thread;
    } cases[] = {
        {"alder_lake_p", false},    /* beside efficient cores */
        {"alder_lake_e", true},     /* of the same processor */
        {"lion_cove", true},        /* a performance core with one thread */
        {"skymont", true},          /* by leaf 0BH alone */
        {"unknown_threads", false}, /* a family, and a vendor, that nobody knows */
        {"other_vendor", true},     /* the same of one thread: it has no leaf that names others */
        {"none_one_thread", false}, /* a hypervisor may hide the sibling */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct model_machine *machine = model_machine(cases[i].machine);
        model_start(machine);
        assert_int_equal(width_of_additions(&machine->processor), 0);
        assert_int_equal(topology_has_one_thread(&machine->processor), cases[i].has_one_thread);
    }
}
