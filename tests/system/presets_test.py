#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Presets beside their sources: presets_test.py SOURCE_DIR BUILD/cowarp [unittest arguments].

presets.csv has what the configuration file of a published simulator says, key by key, and what our preset has. A preset that is changed
alone, or a difference without a reason, fails. Translation runs scripts/preset_from_gpgpusim on small files; what is expected of them is
worked out by hand."""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = COWARP = None
FILE = """# a machine of two cores
-gpgpu_n_clusters 2 -gpgpu_n_cores_per_cluster 3
-gpgpu_n_mem 2
-gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_clock_domains 325.0:650.0:650.0:800.0
-gpgpu_shader_core_pipeline 1024:32
-gpgpu_scheduler two_level_active:6:0:1
-ptx_opcode_latency_int 1,1,19,25,145,32
-ptx_opcode_latency_fp 1,2,1,1,30
-gpgpu_cache:dl1 S:4:128:2,L:B:m:L:L,A:16:4,4:0,32
-gpgpu_cache:dl2 N:64:128:8,L:B:m:W,A:32:16,4:0,64
-gpgpu_dram_partition_queues 16:8:8:12
-rop_latency 10
-gpgpu_n_mem_per_ctrlr 2
-gpgpu_dram_buswidth 4
-gpgpu_dram_burst_length 4
-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS
-gpgpu_dram_timing_opt "nbk=16:CCD=2:RRD=8:
                        CL=10"
-gpgpu_shader_cta 8
-gpgpu_shader_cta 99
-of_nobody 7
-inter_config_file net.icnt
"""
KEYS = {"core.count": 6, "noc.concentration": 3, "partition.count": 4, "dram.sharing": 2, "clock.core": 325, "clock.noc": 650, "clock.l2": 650,
        "clock.dram": 800, "core.issue_cycles": 1, "core.warps": 32, "fu.alu_latency": 1, "fu.imul_latency": 19, "fu.imad_latency": 25,
        "fu.idiv_latency": 145, "fu.shfl_latency": 32, "fu.fdiv_latency": 30, "l1.bytes": 1024, "l1.ways": 2, "l1.global": "write-back",
        "l1.sectored": "on", "l1.pass_cycles": 1, "l1.miss_cycles": 1, "shared.pass_cycles": 1, "const.pass_cycles": 1, "l1.mshrs": 16, "l1.mshr_merge": 4, "l2.bytes": 65536, "l2.sectored": "off", "l2.write_miss": "through",
        "l2.mshrs": 32, "l2.mshr_merge": 16, "l2.port_bytes": 64, "l2.reply_queue": 12, "l2.rop_latency": 20, "l2.rop_queue": 36,
        "dram.bytes_per_cycle": 16, "dram.burst_bytes": 32, "partition.interleave": 256, "dram.row_bytes": 4096, "dram.banks": 16,
        "dram.bank_groups": 1, "dram.map": "banks", "dram.ccd": 2, "dram.rrd": 8, "dram.cl": 10, "noc.flit_bytes": 32, "noc.in_flits": 89,
        "noc.out_flits": 96}
BAD = {"7 -gpgpu_n_mem 2": "expected an option that begins with -, found 7",
       "-gpgpu_n_mem two": "expected a whole number, found 'two'",
       "-gpgpu_n_mem 2 3": "-gpgpu_n_mem has a value already",
       "\n-gpgpu_cache:dl2 64:128": "m.config:2: not a cache",
       "-gpgpu_cache:dl1 N:64:128:6,L:L": "not a cache",
       "-gpgpu_mem_addr_mapping dramid@8;RRCC": "not an address map",
       "-gpgpu_dram_timing_opt nbk=16:XYZ=3": "no DRAM timing is called 'XYZ'",
       "-gpgpu_clock_domains 700:700": "expected 4 numbers or more with : between them",
       '-gpgpu_dram_timing_opt "nbk=16': "a quotation mark without its second one",
       "-config m.config": "names itself by -config"}


def config(*arguments):
    done = subprocess.run([COWARP, "config", *arguments], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    table, found = "", {}
    for line in done.stdout.splitlines():
        head, row = re.fullmatch(r"\[([\w.]+)\]", line), re.match(r'(\w+) = "?([\w-]+)', line)
        table = head[1] + "." if head else table
        found.update({table + row[1]: row[2]} if row else {})
    return found


class Presets(unittest.TestCase):
    def test_each_row_is_the_preset_and_each_difference_has_a_reason(self):
        with open(SOURCE / "tests/system/presets.csv", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        presets = {preset: config("--preset", preset) for preset in {row["preset"] for row in rows}}
        self.assertGreaterEqual(len(presets), 6)
        self.assertEqual(len({(row["preset"], row["key"]) for row in rows}), len(rows))
        for row in rows:
            with self.subTest(preset=row["preset"], key=row["key"]):
                self.assertEqual(presets[row["preset"]][row["key"]], row["ours"])
                self.assertEqual(row["ours"] != row["source"], len(row["reason"]) > 10, row)


class Translation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "m.config")
        self.file.with_name("net.icnt").write_text("// a crossbar\nflit_size = 32;\nvc_buf_size = 80;\nnum_vcs = 1;\n", encoding="utf-8")

    def translate(self, text, *options):
        self.file.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, str(SOURCE / "scripts/preset_from_gpgpusim"), *options, str(self.file)], capture_output=True,
                              text=True, timeout=60, check=False)

    def keys(self, text, *options):
        done = self.translate(text, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = dict(re.findall(r'^([\w.]+) = "?([\w-]+)"? # \S', done.stdout, re.M))
        return {key: int(value) if value.isdigit() else value for key, value in found.items()}, done.stdout

    def test_keys_are_those_of_the_options(self):
        found, said = self.keys(FILE)
        self.assertEqual({key: found[key] for key in KEYS if key in found}, KEYS)
        self.assertIn("l2.rop_queue = 36 # -rop_latency 10, in core cycles".split(" #")[0], said)
        self.assertRegex(said, r"clock.noc = 650 # -gpgpu_clock_domains 325.0:650.0:650.0:800.0")

    def test_the_lists(self):
        _, said = self.keys(FILE)
        without, rest = said.partition("# Options without counterpart")[2].split("# Keys that the file does not settle")
        unsettled, against = rest.split("# Options that contradict")
        self.assertIn("-of_nobody 7: not known to this script", without)
        self.assertIn("-gpgpu_scheduler two_level_active:6:0:1: core.scheduler has only gto, lrr", without)
        self.assertIn("#   core.fetch_cycles\n", unsettled)
        self.assertNotIn("l2.mshrs", unsettled)
        self.assertIn("fu.max_latency = 2, but -ptx_opcode_latency_int 1,1,19,25,145,32: 1", against)
        self.assertIn("-gpgpu_shader_cta 8, and later -gpgpu_shader_cta 99", against)
        self.assertIn("core.blocks = 99 is beyond core.blocks's range", against)

    def test_a_streaming_cache(self):
        found, _ = self.keys(FILE.replace("S:4:128:2,L:B:m:L:L,A:16:4", "S:4:128:2,L:B:s:L:L,A:16:4"))
        self.assertEqual((found["l1.mshrs"], found["l1.mshr_merge"]), (32, 64))
        self.assertNotIn("noc.sector_acks", found)

    def test_stores_that_a_sectored_cache_takes_apart(self):
        found, _ = self.keys(FILE.replace("dl2 N:", "dl2 S:") + "-gpgpu_coalesce_arch 20\n")
        self.assertEqual((found["l2.sectored"], found["noc.sector_acks"]), ("on", "on"))

    def test_a_clock_of_narrow_pipelines(self):
        found, _ = self.keys(FILE, "--core-clock", "1300")
        wanted = {"clock.core": 1300, "core.issue_cycles": 4, "core.stage_cycles": 4, "l1.pass_cycles": 4, "shared.pass_cycles": 4, "fu.imul_latency": 76, "l2.rop_latency": 20, "dram.ccd": 2}
        self.assertEqual({key: found[key] for key in wanted}, wanted)

    def test_ports_of_banks(self):
        ports = FILE + "-gpgpu_shmem_port_per_bank 2\n-gpgpu_cache_port_per_bank 4\n-gpgpu_const_port_per_bank 3\n"
        found, said = self.keys(ports, "--core-clock", "1300")
        self.assertEqual((found["shared.pass_cycles"], found["l1.pass_cycles"], "const.pass_cycles" in found), (2, 1, False))
        self.assertIn("-gpgpu_const_port_per_bank 3: ports of a bank", said)

    def test_the_file_is_a_configuration(self):
        _, said = self.keys(FILE.replace("two_level_active:6:0:1", "lrr"))
        made = self.file.with_suffix(".toml")
        made.write_text(said, encoding="utf-8")
        self.assertEqual(config("--config", str(made))["core.scheduler"], "lrr")

    def test_beside_a_preset(self):
        done = self.translate("-gpgpu_n_mem 5\n", "--compare", "gpgpusim-gtx480", "--cowarp", COWARP)
        self.assertEqual(done.stdout, "gpgpusim-gtx480,dram.sharing,1,2\ngpgpusim-gtx480,partition.count,5,12\n")

    def test_bad_lines_are_refused_with_their_place(self):
        for text, says in BAD.items():
            with self.subTest(text=text):
                done = self.translate(text)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
                self.assertIn("m.config", done.stderr)
                self.assertIn(says, done.stderr)


if __name__ == "__main__":
    SOURCE, COWARP = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
