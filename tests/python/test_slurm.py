"""The script of a job array: its jobs, run by a shell without SLURM, make the study."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from penstock.errors import PenstockError
from penstock.studies.slurm import job_array
from penstock.studies.store import Store
from penstock.studies.study import StudyRuns
from penstock.studies.study_file import StudyFile

from .test_cli import penstock
from .test_study import stored_runs

# A run is a chunk by its rate, and short by its traffic.
STUDY = """
seeds = 2
[base]
duration = "100s"
[base.links]
wire = { from = "A", to = "B", rate = "100Mbit", delay = "1ms", watch = true }
[base.traffic]
few = { kind = "cbr", from = "A", to = "B", rate = "8kbit", packet = "972B" }
[axes]
"traffic.few.packet" = ["500B", "900B", "1000B"]
"""


def run(script: Path, job: int) -> subprocess.CompletedProcess[str]:
    """A job, as SLURM starts it."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SLURM_ARRAY_TASK_ID": str(job),
        "SLURM_CPUS_PER_TASK": "1",
    }
    return subprocess.run(["bash", str(script)], env=environment, capture_output=True, text=True, check=False)


def test_the_jobs_of_the_array_make_the_study(tmp_path: Path) -> None:
    folder = tmp_path / "my studies"
    folder.mkdir()
    file, store, script = folder / "few.toml", folder / "store", folder / "job.sh"
    file.write_text(STUDY)
    text = job_array(file, store, 2)
    script.write_text(text)
    counts = []
    for job in (1, 0, 0):
        process = run(script, job)
        assert process.returncode == 0, process.stderr
        assert f"shard {job + 1}/2 is complete" in process.stderr
        counts.append(len(stored_runs(store)))
    assert counts == [3, 6, 6]
    assert all(
        Store(store).has(cell.content, seed)
        for cell in StudyRuns(StudyFile.read(file).study, None).cells()
        for seed in (1, 2)
    )


def test_the_head_of_the_script() -> None:
    text = job_array(
        "/shared/buffers.study.toml",
        "/shared/my runs",
        8,
        cpus=16,
        time="2-00:00:00",
        memory="4G",
        load=["/shared/law.py"],
    )
    assert re.findall(r"^#SBATCH --(.*)$", text, re.M) == [
        "job-name=buffers",
        "array=0-7",
        "ntasks=1",
        "cpus-per-task=16",
        "mem=4G",
        "time=2-00:00:00",
        "output=%x-%A_%a.out",
        "requeue",
    ]
    assert "compare /shared/buffers.study.toml --store '/shared/my runs' --load /shared/law.py" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jobs": 0}, "0 jobs with 4 threads: both must be at least 1"),
        ({"cpus": 0}, "2 jobs with 0 threads: both must be at least 1"),
        ({"time": "1 day"}, "--time 1 day: is no time limit of SLURM, such as 90 (minutes), 24:00:00"),
        ({"time": "1:75"}, "--time 1:75: is no time limit of SLURM"),
        ({"memory": "4 GB"}, "--mem 4 GB: is not a memory size of SLURM, such as 4G"),
        ({"memory": "0"}, "--mem 0: is not a memory size of SLURM"),
    ],
)
def test_wrong_numbers_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PenstockError, match=re.escape(message)):
        job_array("study.toml", "store", options.pop("jobs", 2), **options)


@pytest.mark.parametrize("time", ["90", "90:30", "24:00:00", "2-12", "2-12:30", "2-12:30:00"])
def test_the_forms_of_a_time_limit_of_sbatch(time: str) -> None:
    assert f"#SBATCH --time={time}\n" in job_array("study.toml", "store", 2, time=time)


def test_the_verb_writes_the_options_into_the_script(tmp_path: Path) -> None:
    file = tmp_path / "few.study.toml"
    file.write_text(STUDY)
    options = ["--slurm", "3", "--time", "1-12", "--cpus-per-task", "8", "--mem", "2G"]
    process = penstock("compare", str(file), "--store", str(tmp_path / "store"), *options)
    assert process.returncode == 0, process.stderr
    assert re.findall(r"^#SBATCH --(array|cpus-per-task|mem|time)=(.*)$", process.stdout, re.M) == [
        ("array", "0-2"),
        ("cpus-per-task", "8"),
        ("mem", "2G"),
        ("time", "1-12"),
    ]


def test_options_of_a_job_array_need_one(tmp_path: Path) -> None:
    file = tmp_path / "few.study.toml"
    file.write_text(STUDY)
    process = penstock("compare", str(file), "--store", str(tmp_path / "store"), "--time", "90", "--mem", "2G")
    assert process.returncode == 2
    assert "--time, --mem: requires --slurm N" in process.stderr
