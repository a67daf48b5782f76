/* SPDX-License-Identifier: Apache-2.0 */
/* The machinery around units: port checks, the library cache, two builders at once, the lockstep report. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "cowarp/unit/stall_buffer.h"
#include "cw_test.h"
#include "lockstep.h"
#include "rtl_compiler.h"
#include "rtl_os.h"
#include "rtl_provider.h"
#include "rtl_shim.h"
#include "wave/lockstep_wave.h"

static const struct cw_unit *const unit = &cw_stall_buffer_unit;
static const struct cw_stall_buffer_params small = {2, 2, 6, 5, 3};

static void join(char *out, const char *dir, const char *name)
{
    assert_int_equal(cw_os_path(out, CW_PATH_MAX, NULL, "%s/%s", dir, name), CW_OK);
}

static void make_temporary(char dir[CW_PATH_MAX])
{
    const char *tmp = getenv("TMPDIR");
    join(dir, tmp != NULL ? tmp : "/tmp", "cw-provider-XXXXXX");
    assert_non_null(mkdtemp(dir));
}

/* Verilog of a stall buffer with these ports and this in it, in dir/stall_buffer. */
static void write_module(const char *dir, const char *ports, const char *body)
{
    char path[CW_PATH_MAX];
    join(path, dir, "stall_buffer");
    assert_int_equal(cw_os_make_dirs(path, NULL), CW_OK);
    join(path, dir, "stall_buffer/cw_stall_buffer.v");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "/* verilator lint_off UNUSED */\n/* verilator lint_off UNDRIVEN */\n"
            "module cw_stall_buffer #(parameter LINES = 4, parameter ENTRIES = 4, parameter GRANULE_W = 30,\n"
            "    parameter TS_W = 32, parameter PAYLOAD_W = 24) (input wire clk_i, input wire rst_i,\n%s);\n%sendmodule\n",
            ports, body);
    fclose(f);
}

static void write_verilog(const char *dir, const char *ports)
{
    write_module(dir, ports, "");
}

#define PUSH_PORTS "input wire push_valid_i, input wire [TS_W-1:0] push_warpts_i, input wire [PAYLOAD_W-1:0] push_payload_i,\n"
#define OTHER_PORTS                                                                                        \
    "input wire [GRANULE_W-1:0] ask_granule_i, output wire ask_place_o,\n"                                 \
    "input wire wake_valid_i, input wire [GRANULE_W-1:0] wake_granule_i, output wire retry_valid_o,\n"     \
    "output wire [GRANULE_W-1:0] retry_granule_o, output wire [TS_W-1:0] retry_warpts_o,\n"                \
    "output wire [PAYLOAD_W-1:0] retry_payload_o, input wire retry_ready_i, input wire done_valid_i,\n"    \
    "input wire done_sleep_i, input wire drain_i, output wire pending_o, output wire [8:0] occupancy_o,\n" \
    "output wire [4:0] lines_used_o"

static void expect_refused(const char *ports, const char *needle)
{
    struct cw_error err = {""};
    char dir[CW_PATH_MAX], path[CW_PATH_MAX];
    make_temporary(dir);
    write_verilog(dir, ports);
    struct cw_rtl_build_options opt = {.rtl_dir = dir, .cxx_flags = "-O0"};
    int status = cw_rtl_find(path, unit, &small, &opt, &err);
    cw_os_remove_tree(dir);
    printf("%s\n", err.text);
    assert_int_equal(status, CW_EMISMATCH);
    assert_non_null(strstr(err.text, needle));
}

static void test_rtl_provider__refuses_ports_that_differ(void **state)
{
    (void)state;
    expect_refused(PUSH_PORTS "input wire [GRANULE_W:0] push_granule_i, " OTHER_PORTS, "push_granule_i has 7 bits");
    expect_refused(PUSH_PORTS OTHER_PORTS, "has push_granule, but cw_stall_buffer.v has no push_granule_i");
    expect_refused(PUSH_PORTS "input wire [GRANULE_W-1:0] push_granule_i, input wire extra_i, " OTHER_PORTS,
                   "has a port extra_i that the port list");
    expect_refused(PUSH_PORTS "input wire [GRANULE_W-1:0] push_granul_i, " OTHER_PORTS, "has a port push_granul_i");
}

static void test_rtl_provider__refuses_bad_parameters_and_bad_verilog(void **state)
{
    (void)state;
    struct cw_stall_buffer_params bad = small;
    struct cw_error err = {""};
    char dir[CW_PATH_MAX], path[CW_PATH_MAX];
    bad.lines = 17;
    assert_int_equal(cw_rtl_find(path, unit, &bad, NULL, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "lines = 17 is outside 1..16"));
    make_temporary(dir);
    write_verilog(dir, "this is not Verilog");
    struct cw_rtl_build_options opt = {.rtl_dir = dir};
    int status = cw_rtl_find(path, unit, &small, &opt, &err);
    cw_os_remove_tree(dir);
    assert_int_equal(status, CW_EIO);
    assert_non_null(strstr(err.text, "verilator failed: %Error"));
}

static void count_message(void *context, const char *text)
{
    *(int *)context += strncmp(text, "building RTL of stall_buffer (lines=2 ", 38) == 0;
}

/* $CXX is not there until give_cxx. */
static char *take_cxx(void)
{
    char *cxx = getenv("CXX") != NULL ? strdup(getenv("CXX")) : NULL;
    unsetenv("CXX");
    return cxx;
}

static void give_cxx(char *cxx)
{
    unsetenv("CXX");
    if (cxx != NULL)
        setenv("CXX", cxx, 1);
    free(cxx);
}

/* Where nobody names a compiler, a library of either is not built again. */
static void expect_either(struct cw_rtl_build_options opt, const char *clang, const char *gnu)
{
    char path[CW_PATH_MAX], *cxx = take_cxx();
    struct cw_error err = {""};
    opt.cxx = NULL;
    assert_int_equal(cw_rtl_find(path, unit, &small, &opt, &err), CW_OK);
    assert_string_equal(path, clang);
    assert_int_equal(unlink(clang), 0);
    assert_int_equal(cw_rtl_find(path, unit, &small, &opt, &err), CW_OK);
    assert_string_equal(path, gnu);
    give_cxx(cxx);
}

/* Both compilers' libraries stand side by side, and a process finds all that clang's call. */
static void test_rtl_provider__builds_with_clang(void **state)
{
    (void)state;
    char dir[CW_PATH_MAX], cache[CW_PATH_MAX], path[CW_PATH_MAX], gnu[CW_PATH_MAX];
    struct cw_error err = {""};
    make_temporary(dir);
    join(cache, dir, "cache");
    write_verilog(dir, PUSH_PORTS "input wire [GRANULE_W-1:0] push_granule_i, " OTHER_PORTS);
    struct cw_rtl_build_options opt = {.rtl_dir = dir, .cache_dir = cache, .cxx = "clang++-14", .cxx_flags = "-O0"};
    assert_int_equal(cw_rtl_find(path, unit, &small, &opt, &err), CW_OK);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    assert_non_null(dlsym(library, "cw_rtl_library"));
    opt.cxx = "g++";
    assert_int_equal(cw_rtl_find(gnu, unit, &small, &opt, &err), CW_OK);
    assert_string_not_equal(path, gnu);
    expect_either(opt, path, gnu);
    assert_int_equal(cw_rtl_build_runtime(path, dir, &(struct cw_rtl_build_options){.cxx = "clang++-14", .cxx_flags = "-O0"}, &err), CW_OK);
    void *runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(runtime);
    dlclose(runtime);
    dlclose(library);
    cw_os_remove_tree(dir);
}

/* Without a name, the choice follows the PATH. */
static void test_rtl_provider__chooses_a_compiler(void **state)
{
    (void)state;
    char dir[CW_PATH_MAX], program[CW_PATH_MAX], *old_path = strdup(getenv("PATH")), *old_cxx = take_cxx();
    make_temporary(dir);
    join(program, dir, "clang++-14");
    setenv("PATH", dir, 1);
    assert_string_equal(cw_rtl_compilers(NULL).model, "g++");
    assert_int_equal(symlink("/bin/false", program), 0);
    assert_string_equal(cw_rtl_compilers(NULL).model, "clang++-14");
    assert_string_equal(cw_rtl_compilers(NULL).also, "g++");
    assert_string_equal(cw_rtl_compilers(NULL).runtime, "g++");
    setenv("CXX", "g++-12", 1);
    assert_string_equal(cw_rtl_compilers(NULL).model, "g++-12");
    assert_string_equal(cw_rtl_compilers(NULL).also, "g++-12");
    assert_string_equal(cw_rtl_compilers("g++").model, "g++");
    setenv("PATH", old_path, 1);
    give_cxx(old_cxx);
    free(old_path);
    cw_os_remove_tree(dir);
}

static void test_rtl_provider__builds_once_and_again_when_sources_change(void **state)
{
    (void)state;
    const char *good = PUSH_PORTS "input wire [GRANULE_W-1:0] push_granule_i, " OTHER_PORTS;
    char dir[CW_PATH_MAX], cache[CW_PATH_MAX], first[CW_PATH_MAX], second[CW_PATH_MAX], third[CW_PATH_MAX];
    struct cw_error err = {""};
    int built = 0;
    make_temporary(dir);
    join(cache, dir, "cache");
    write_verilog(dir, good);
    struct cw_rtl_build_options opt = {
        .rtl_dir = dir, .cache_dir = cache, .cxx_flags = "-O0", .message = count_message, .message_context = &built};
    assert_int_equal(cw_rtl_find(first, unit, &small, &opt, &err), CW_OK);
    assert_int_equal(cw_rtl_find(second, unit, &small, &opt, &err), CW_OK);
    assert_string_equal(first, second);
    assert_int_equal(built, 1);
    write_verilog(dir, PUSH_PORTS "/* changed */ input wire [GRANULE_W-1:0] push_granule_i, " OTHER_PORTS);
    assert_int_equal(cw_rtl_find(third, unit, &small, &opt, &err), CW_OK);
    assert_string_not_equal(first, third);
    assert_int_equal(built, 2);
    cw_os_remove_tree(dir);
}

/* Copies the RAM that a stall buffer is made of to dir. */
static void write_ram(const char *dir)
{
    char path[CW_PATH_MAX];
    char *text = cw_os_read_file(CW_SOURCE_DIR "/rtl/lib/cw_ram_1r1w.v", NULL);
    assert_non_null(text);
    join(path, dir, "cw_ram_1r1w.v");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    free(text);
}

/* A file of somebody else's: the repository's own stall buffer with a change, alone with its RAM in a folder. */
static void write_theirs(char path[CW_PATH_MAX], const char *dir, const char *from, const char *to)
{
    size_t size;
    char *text = cw_os_read_file(CW_SOURCE_DIR "/rtl/stall_buffer/cw_stall_buffer.v", &size);
    assert_non_null(text);
    char *at = strstr(text, from);
    assert_non_null(at);
    write_ram(dir);
    join(path, dir, "their.v");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(text, 1, (size_t)(at - text), f);
    fprintf(f, "%s%s", to, at + strlen(from));
    assert_int_equal(fclose(f), 0);
    free(text);
}

/* Their stall buffer after one push, as RTL or in lockstep; the occupancy that is seen, or a negative status. */
static int push_into_theirs(const char *file, enum cw_unit_backend backend, struct cw_error *err)
{
    const struct cw_rtl_choice choice = {.unit = "stall_buffer", .backend = backend, .verilog = file};
    struct cw_rtl_options opt = {.choices = &choice, .choice_cnt = 1};
    struct cw_unit_provider provider;
    struct cw_unit_instance instance;
    struct cw_stall_buffer_in in = {.ask_granule = 3, .push_granule = 3, .push_warpts = 4, .push_payload = 5};
    struct cw_stall_buffer_out out;
    assert_int_equal(cw_rtl_provider_create(&provider, &opt, err), CW_OK);
    int status = provider.open(provider.context, unit, "theirs", &small, &instance, err);
    if (status == CW_OK) {
        for (int cycle = 0; cycle < 3; cycle++) { /* the push comes two cycles after its question */
            in.push_valid = cycle == 2;
            instance.ops->eval(instance.self, &in, &out);
            instance.ops->tick(instance.self, &in);
        }
        in = (struct cw_stall_buffer_in){0};
        instance.ops->eval(instance.self, &in, &out);
        status = provider.poll(provider.context, err);
        instance.ops->destroy(instance.self);
    }
    cw_rtl_provider_destroy(&provider);
    if (status != CW_OK)
        printf("%s\n", err->text);
    return status == CW_OK ? (int)out.occupancy : status;
}

/* Verilog that errs: a provider that forgets a difference tells the next one, and lists the instance that has it only. */
static void expect_forgotten(const char *path)
{
    const struct cw_rtl_choice choice = {.unit = "stall_buffer", .backend = CW_UNIT_LOCKSTEP, .verilog = path};
    struct cw_rtl_options opt = {.choices = &choice, .choice_cnt = 1};
    struct cw_unit_provider provider;
    const struct cw_rtl_instance *list;
    const struct cw_stall_buffer_in in = {0};
    struct cw_stall_buffer_out out;
    struct cw_error err;
    assert_int_equal(cw_rtl_provider_create(&provider, &opt, &err), CW_OK);
    for (int i = 0; i < 2; i++) {
        struct cw_unit_instance instance;
        assert_int_equal(provider.open(provider.context, unit, i == 0 ? "first" : "second", &small, &instance, &err), CW_OK);
        assert_int_equal(cw_rtl_provider_instances(&provider, &list), 1);
        assert_int_equal(provider.poll(provider.context, &err), CW_OK);
        instance.ops->eval(instance.self, &in, &out);
        assert_int_equal(provider.poll(provider.context, &err), CW_EMISMATCH);
        assert_non_null(strstr(err.text, i == 0 ? "first" : "second"));
        cw_rtl_provider_forget(&provider);
        instance.ops->destroy(instance.self);
    }
    cw_rtl_provider_destroy(&provider);
}

static void test_rtl_provider__runs_verilog_from_a_path(void **state)
{
    (void)state;
    char dir[CW_PATH_MAX], path[CW_PATH_MAX], helper[CW_PATH_MAX];
    struct cw_error err = {""};
    make_temporary(dir);
    write_theirs(path, dir, "endmodule", "endmodule");
    assert_int_equal(push_into_theirs(path, CW_UNIT_LOCKSTEP, &err), 1);
    /* What runs is the file: one that counts wrongly is seen to, and a changed file is not taken from the cache. */
    write_theirs(path, dir, "assign occupancy_o", "theirs #(.BY(5)) u_theirs (.occupancy(occupancy_o));\n    wire [8:0] unused_occupancy");
    join(helper, dir, "theirs.v");
    FILE *f = fopen(helper, "w");
    assert_non_null(f);
    fputs("module theirs #(parameter BY = 1) (output wire [8:0] occupancy);\n    assign occupancy = BY;\nendmodule\n", f);
    fclose(f);
    assert_int_equal(push_into_theirs(path, CW_UNIT_RTL, &err), 5);
    assert_int_equal(push_into_theirs(path, CW_UNIT_LOCKSTEP, &err), CW_EMISMATCH);
    assert_non_null(strstr(err.text, "occupancy"));
    expect_forgotten(path);
    /* A module beside it belongs to it. */
    f = fopen(helper, "w");
    assert_non_null(f);
    fputs("module theirs #(parameter BY = 1) (output wire [8:0] occupancy);\n    assign occupancy = BY + 2;\nendmodule\n", f);
    fclose(f);
    assert_int_equal(push_into_theirs(path, CW_UNIT_RTL, &err), 7);
    cw_os_remove_tree(dir);
}

static void test_rtl_provider__refuses_a_path_that_does_not_fit(void **state)
{
    (void)state;
    char dir[CW_PATH_MAX], path[CW_PATH_MAX], says[CW_PATH_MAX];
    struct cw_error err = {""};
    make_temporary(dir);
    write_theirs(path, dir, "drain_i", "drains_i");
    assert_int_equal(push_into_theirs(path, CW_UNIT_RTL, &err), CW_EIO); /* drain_i is used in it */
    write_theirs(path, dir, "output wire [4:0]", "output wire [5:0]");
    assert_int_equal(push_into_theirs(path, CW_UNIT_RTL, &err), CW_EMISMATCH);
    assert_int_equal(cw_os_path(says, sizeof says, NULL, "stall_buffer: port lines_used_o has 6 bits in %s and 5 in the port list", path),
                     0);
    assert_string_equal(err.text, says);
    write_theirs(path, dir, "module cw_stall_buffer", "module their_stall_buffer");
    assert_int_equal(push_into_theirs(path, CW_UNIT_RTL, &err), CW_EIO);
    assert_non_null(strstr(err.text, "cw_stall_buffer"));
    join(path, dir, "nowhere.v");
    assert_int_equal(push_into_theirs(path, CW_UNIT_RTL, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "nowhere.v': No such file"));
    cw_os_remove_tree(dir);
}

/* Opens the unit's RTL, with the cache in dir, and pushes a request. Exit status of the child that does it. */
static int open_and_run(const char *cache)
{
    struct cw_rtl_options opt = {.build = {.cache_dir = cache, .cxx_flags = "-O0"}, .default_backend = CW_UNIT_RTL};
    struct cw_unit_provider provider;
    struct cw_unit_instance instance;
    struct cw_stall_buffer_in in = {.ask_granule = 3, .push_granule = 3, .push_warpts = 4, .push_payload = 5};
    struct cw_stall_buffer_out out;
    if (cw_rtl_provider_create(&provider, &opt, NULL) != CW_OK ||
        provider.open(provider.context, unit, "racer", &small, &instance, NULL) != CW_OK)
        return 1;
    for (int cycle = 0; cycle < 3; cycle++) {
        in.push_valid = cycle == 2;
        instance.ops->eval(instance.self, &in, &out);
        instance.ops->tick(instance.self, &in);
    }
    instance.ops->eval(instance.self, &in, &out);
    instance.ops->destroy(instance.self);
    cw_rtl_provider_destroy(&provider);
    return out.occupancy == 1 ? 0 : 2;
}

static void test_rtl_provider__two_may_build_at_once(void **state)
{
    (void)state;
    char cache[CW_PATH_MAX];
    pid_t child[2];
    make_temporary(cache);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0)
            _exit(open_and_run(cache));
    }
    for (int i = 0; i < 2; i++) {
        int wait_status;
        assert_int_equal(waitpid(child[i], &wait_status, 0), child[i]);
        assert_true(WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0);
    }
    cw_os_remove_tree(cache);
}

/* Text of an FST file, from GTKWave's fst2vcd; the caller frees. */
static char *wave_text(const char *dir, const char *file)
{
    char vcd[CW_PATH_MAX], command[3 * CW_PATH_MAX];
    join(vcd, dir, "difference.vcd");
    snprintf(command, sizeof command, "fst2vcd -f %s -o %s", file, vcd);
    assert_int_equal(system(command), 0);
    char *text = cw_os_read_file(vcd, NULL);
    assert_non_null(text);
    return text;
}

/* The code that stands for a signal, and its value at the end. */
static char last_bit(const char *text, const char *declaration)
{
    char change[32], last = '?';
    const char *at = strstr(text, declaration);
    assert_non_null(at);
    while (*--at == ' ')
        ;
    while (at[-1] != ' ')
        at--;
    const size_t length = strcspn(at, " ");
    snprintf(change, sizeof change, "%.*s\n", (int)length, at);
    for (at = strstr(text, change); at != NULL; at = strstr(at + 1, change))
        if (at[-2] == '\n' && (at[-1] == '0' || at[-1] == '1'))
            last = at[-1];
    return last;
}

/* Of a pair without a library: C model and other side under the names of a run's waves, cycles 6 to 9. */
static void check_wave(const char *dir, const char *file)
{
    char *text = wave_text(dir, file);
    assert_non_null(strstr(text, "$scope module cowarp $end"));
    assert_int_equal(last_bit(text, " pending $end"), '0');
    assert_int_equal(last_bit(text, " pending_o $end"), '1');
    assert_int_equal(last_bit(text, " trigger $end"), '1');
    assert_null(strstr(text, "#5000\n")); /* cycle 5 has left the ring of 4 */
    assert_non_null(strstr(text, "#6000\n"));
    assert_non_null(strstr(text, "#9000\n"));
    free(text);
}

/* A pair of C models, the second of which is driven behind the pair's back, differs where and when we made it. */
static void test_rtl_provider__report_names_cycle_port_and_values(void **state)
{
    (void)state;
    struct cw_lockstep_report report = {.taken = ATOMIC_FLAG_INIT};
    struct cw_unit_instance model[2];
    const struct cw_unit_provider *c = cw_unit_provider_c();
    struct cw_stall_buffer_in in = {.ask_granule = 3, .push_granule = 3, .push_warpts = 4, .push_payload = 5};
    struct cw_stall_buffer_out out;
    char dir[CW_PATH_MAX], file[CW_PATH_MAX];
    void *pair;
    make_temporary(dir);
    join(file, dir, "difference.fst");
    for (int i = 0; i < 2; i++)
        assert_int_equal(c->open(c->context, unit, "x", &small, &model[i], NULL), CW_OK);
    struct cw_lockstep_options opt = {"partition2.stall_buffer", cw_lockstep_wave, file, 4, &report, NULL};
    assert_int_equal(cw_lockstep_create(&pair, &small, &model[0], &model[1], &opt), CW_OK);
    for (int cycle = 0; cycle < 9; cycle++) {
        in.push_valid = cycle == 2;
        cw_lockstep_ops.eval(pair, &in, &out);
        cw_lockstep_ops.tick(pair, &in);
    }
    assert_int_equal(atomic_load(&report.status), CW_OK);
    model[1].ops->tick(model[1].self, &(struct cw_stall_buffer_in){.wake_valid = 1, .wake_granule = 3});
    cw_lockstep_ops.eval(pair, &in, &out);
    assert_int_equal(out.occupancy, 1);
    assert_int_equal(atomic_load(&report.status), CW_EMISMATCH);
    printf("%s\n", report.error.text);
    assert_non_null(
        strstr(report.error.text, "partition2.stall_buffer (stall_buffer): cycle 9: pending_o is 0x0 in the C model and 0x1 in the RTL"));
    check_wave(dir, file);
    cw_lockstep_ops.destroy(pair);
    cw_os_remove_tree(dir);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* The shim that a template of one line becomes, which the caller frees; NULL: refused, with err. */
static char *fill(const char *template_text, struct cw_error *err)
{
    char dir[CW_PATH_MAX], path[CW_PATH_MAX], *text = NULL;
    make_temporary(dir);
    join(path, dir, "template");
    write_text(path, template_text);
    const int status = cw_rtl_write_shim(dir, path, unit, &small, 0xabc, "5.006", err);
    join(path, dir, "shim.cpp");
    if (status == CW_OK)
        text = cw_os_read_file(path, NULL);
    else
        assert_int_equal(status, CW_EINVAL);
    cw_os_remove_tree(dir);
    return text;
}

static void test_rtl_provider__fills_the_template(void **state)
{
    (void)state;
    struct cw_error err = {""};
    char *text = fill("//@ not in the shim\n@unit@_@digest@ \"@params@\"\nlast @one_eval@", &err);
    assert_non_null(text);
    assert_string_equal(text, "stall_buffer_abc \"lines=2 entries=2 granule_w=6 ts_w=5 payload_w=3\"\nlast 0\n");
    free(text);
    assert_null(fill("an @unknown@ field\n", &err));
    assert_string_equal(err.text, "the shim's template has no field '@unknown@ field'");
    assert_null(fill("one @unit\n", &err)); /* no second @ */
}

/* A library made from another template has another name, so it is not taken for this one. */
static void test_rtl_provider__the_template_is_in_the_digest(void **state)
{
    (void)state;
    char dir[CW_PATH_MAX], folder[CW_PATH_MAX], path[CW_PATH_MAX];
    struct cw_error err = {""};
    uint64_t digest[2];
    make_temporary(dir);
    join(folder, dir, "harness/rtl");
    join(path, folder, "shim.cpp.in");
    const struct cw_rtl_build_options opt = {.source_dir = dir, .rtl_dir = CW_SOURCE_DIR "/rtl"};
    assert_int_equal(cw_os_make_dirs(folder, NULL), CW_OK);
    assert_int_equal(cw_rtl_digest(&digest[0], unit, &small, &opt, &err), CW_EIO); /* no template */
    for (int i = 0; i < 2; i++) {
        write_text(path, i == 0 ? "before" : "after");
        assert_int_equal(cw_rtl_digest(&digest[i], unit, &small, &opt, &err), CW_OK);
    }
    assert_true(digest[0] != digest[1]);
    cw_os_remove_tree(dir);
}

/* However many modules a unit names, and however long their names are: a change of the last one is a change of the unit. */
static void test_rtl_provider__every_module_is_in_the_digest(void **state)
{
    (void)state;
    static const char last[] = "cw_a_module_whose_name_is_longer_than_anyone_would_like_it_to_be_in_an_instance";
    char dir[CW_PATH_MAX], path[CW_PATH_MAX];
    struct cw_error err = {""};
    uint64_t digest[2];
    make_temporary(dir);
    join(path, dir, "stall_buffer");
    assert_int_equal(cw_os_make_dirs(path, NULL), CW_OK);
    join(path, dir, "stall_buffer/cw_stall_buffer.v");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < 200; i++)
        fprintf(f, "cw_module_%d\n", i);
    fprintf(f, "%s\n", last);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(cw_os_path(path, sizeof path, NULL, "%s/stall_buffer/%s.v", dir, last), CW_OK);
    const struct cw_rtl_build_options opt = {.rtl_dir = dir};
    for (int i = 0; i < 2; i++) {
        write_text(path, i == 0 ? "before" : "after");
        assert_int_equal(cw_rtl_digest(&digest[i], unit, &small, &opt, &err), CW_OK);
    }
    assert_true(digest[0] != digest[1]);
    cw_os_remove_tree(dir);
}

#define ALL_PORTS PUSH_PORTS "input wire [GRANULE_W-1:0] push_granule_i,\n" OTHER_PORTS

static struct cw_unit_provider open_module(const char *dir, bool properties, uint32_t seed, struct cw_unit_instance *instance)
{
    const struct cw_rtl_options opt = {
        .build = {.rtl_dir = dir, .cxx_flags = "-O0"}, .default_backend = CW_UNIT_RTL, .properties = properties, .seed = seed};
    struct cw_unit_provider provider;
    struct cw_error err = {""};
    assert_int_equal(cw_rtl_provider_create(&provider, &opt, &err), CW_OK);
    int status = provider.open(provider.context, unit, "here.buffer", &small, instance, &err);
    if (status != CW_OK)
        fail_msg("%s", err.text);
    return provider;
}

/* Cycles without a push, then one with; both reset and idle cycles count. Polls after each; status and text of the last. */
static int push_once(const char *dir, bool properties, uint32_t idle_cycles, struct cw_error *err)
{
    struct cw_unit_instance instance;
    struct cw_unit_provider provider = open_module(dir, properties, 0, &instance);
    struct cw_stall_buffer_in in = {0};
    struct cw_stall_buffer_out out;
    for (uint32_t n = 0; n <= idle_cycles; n++) {
        assert_int_equal(provider.poll(provider.context, err), CW_OK);
        in.push_valid = n == idle_cycles;
        instance.ops->eval(instance.self, &in, &out);
        instance.ops->tick(instance.self, &in);
    }
    int status = provider.poll(provider.context, err);
    instance.ops->destroy(instance.self);
    cw_rtl_provider_destroy(&provider);
    return status;
}

static void test_rtl_provider__tells_a_property_that_does_not_hold(void **state)
{
    (void)state;
    struct cw_error err = {""};
    char dir[CW_PATH_MAX];
    make_temporary(dir);
    write_module(dir, ALL_PORTS,
                 "`ifdef CW_PROPERTIES\n"
                 "    always @(`CW_PROPERTIES)\n"
                 "        if (!rst_i) begin\n"
                 "            // 1. Nobody takes what is not there.\n"
                 "            assert (!(retry_ready_i && drain_i));\n"
                 "            // 12. Nobody ever\n"
                 "            //     pushes.\n"
                 "            cover (push_valid_i);\n"
                 "            assert (!push_valid_i);\n"
                 "        end\n"
                 "`endif\n");
    assert_int_equal(push_once(dir, false, 2, &err), CW_OK);
    assert_int_equal(push_once(dir, true, 2, &err), CW_ECHECK);
    cw_os_remove_tree(dir);
    printf("%s\n", err.text);
    assert_non_null(
        strstr(err.text, "here.buffer (stall_buffer): cycle 3: does not hold: property 12: Nobody ever pushes. (cw_stall_buffer.v:"));
}

static void test_rtl_provider__registers_begin_as_the_seed_says(void **state)
{
    (void)state;
    static const uint32_t seed[] = {0, 1, 1, 2, 3};
    uint64_t value[5];
    char dir[CW_PATH_MAX];
    make_temporary(dir);
    write_module(dir, ALL_PORTS,
                 "    reg [8:0] kept_q;\n    always @(posedge clk_i) if (drain_i) kept_q <= 9'd0;\n    assign occupancy_o = kept_q;\n");
    for (int i = 0; i < 5; i++) {
        struct cw_unit_instance instance;
        struct cw_unit_provider provider = open_module(dir, false, seed[i], &instance);
        struct cw_stall_buffer_in in = {0};
        struct cw_stall_buffer_out out;
        instance.ops->eval(instance.self, &in, &out);
        value[i] = out.occupancy;
        instance.ops->destroy(instance.self);
        cw_rtl_provider_destroy(&provider);
    }
    cw_os_remove_tree(dir);
    assert_int_equal(value[0], 0);
    assert_int_equal(value[1], value[2]);
    assert_true(value[1] != value[3] && value[3] != value[4] && value[1] != 0 && value[3] != 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rtl_provider__tells_a_property_that_does_not_hold),
    cmocka_unit_test(test_rtl_provider__registers_begin_as_the_seed_says),
    cmocka_unit_test(test_rtl_provider__refuses_ports_that_differ),
    cmocka_unit_test(test_rtl_provider__refuses_bad_parameters_and_bad_verilog),
    cmocka_unit_test(test_rtl_provider__builds_with_clang),
    cmocka_unit_test(test_rtl_provider__chooses_a_compiler),
    cmocka_unit_test(test_rtl_provider__builds_once_and_again_when_sources_change),
    cmocka_unit_test(test_rtl_provider__runs_verilog_from_a_path),
    cmocka_unit_test(test_rtl_provider__refuses_a_path_that_does_not_fit),
    cmocka_unit_test(test_rtl_provider__two_may_build_at_once),
    cmocka_unit_test(test_rtl_provider__fills_the_template),
    cmocka_unit_test(test_rtl_provider__the_template_is_in_the_digest),
    cmocka_unit_test(test_rtl_provider__every_module_is_in_the_digest),
    cmocka_unit_test(test_rtl_provider__report_names_cycle_port_and_values),
};
CW_TEST_MAIN(tests)
