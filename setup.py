"""Builds the Python module for pip, with CMake: see pyproject.toml, which has all the rest."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build import build
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
BUILD = "build-python"      # `build` is that of the presets


def version():
    """The newest heading of the changelog, as for CMake."""
    found = re.search(r"^## (\S+) \(", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1]


class BuildByCMake(build_py):
    """Puts what CMake builds into the package."""

    def run(self):
        folder = ROOT / BUILD
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count())
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "--log-level=WARNING", "-DCMAKE_BUILD_TYPE=Release",
                        "-DISAFORGE_TESTS=OFF", "-DISAFORGE_BENCH=OFF", f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "python", "--parallel", jobs], check=True)
        package = Path(self.build_lib) / "isaforge"
        shutil.rmtree(package, ignore_errors=True)
        shutil.copytree(folder / "python" / "isaforge", package, ignore=shutil.ignore_patterns("__pycache__"))


class Compiled(Distribution):
    """The wheel is for this system and this Python."""

    def has_ext_modules(self):
        return True


class Build(build):
    """`build` asks for no compiler of setuptools' own."""

    sub_commands = [("build_py", None)]

    def initialize_options(self):
        super().initialize_options()
        self.build_base = BUILD


setup(version=version(), packages=["isaforge"], package_dir={"": "python"}, distclass=Compiled,
      cmdclass={"build": Build, "build_py": BuildByCMake})
