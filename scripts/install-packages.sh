#!/bin/sh
# Every Debian package that this project needs, by what needs it, and the one place that installs them.
#
#   scripts/install-packages.sh [build] [demo] [jit] [python] [test] [sweep] [fuzz] [bench] [lint] [deb] [playground] [web]
#                                      without an argument: all of them
#
# What is there already costs one look into the package database: no network, no root. Written for Debian 12; on another
# system this says what is wanted and leaves the rest to you.
set -eu

build='cmake g++ libcli11-dev libdw-dev libedit2 libelf-dev libfmt-dev libhsa-runtime-dev libmd4c-dev libminizip-dev libpng-dev libpugixml-dev libyaml-dev ninja-build nlohmann-json3-dev pkg-config'
demo='python3'
# The compiler that programs may run with is a plug-in, for which LLVM has to be there.
jit='clang-19 llvm-19-dev'
# The Python module, and what makes a wheel of it.
python='pybind11-dev python3-dev python3-numpy python3-pip python3-setuptools python3-wheel'
# Other tools are what tests compare with: by version, since a verdict must not depend on what else is installed.
test='binutils binutils-riscv64-linux-gnu cc65 chromium chromium-driver clang-14 clang-19 clang-tools-14 elpa-dap-mode emacs-nox fish fpga-icestorm g++-12 gcc-12 gcc-12-offload-amdgcn gcc-riscv64-linux-gnu gdb-multiarch gfortran-12 ghdl hipcc libamdhip64-dev libbenchmark-dev libc6-dev-riscv64-cross libclc-19 libgmock-dev libgomp-plugin-amdgcn1 libgtest-dev libmpfr-dev libomp-14-dev librocprim-dev librocrand-dev lld-14 lld-19 lldb-14 llvm-14 llvm-19 man-db mandoc mypy neovim nextpnr-ice40 ocl-icd-opencl-dev opencl-c-headers pocl-opencl-icd poppler-utils python3 qemu-user rocm-device-libs verilator yosys zsh'
# A library of 1.3 GB that long tests run.
sweep='librocsparse-dev'
fuzz='clang-14 libclang-rt-14-dev'
bench='clang-14 gcc-riscv64-linux-gnu libbenchmark-dev libc6-dev-riscv64-cross lld-14 llvm-14 llvm-19 ocl-icd-opencl-dev oclgrind pocl-opencl-icd python3 qemu-user'
# The playground is compiled for browsers, and tested in one.
playground='clang-14 cmake emscripten libfmt-dev lld-14 ninja-build nlohmann-json3-dev nodejs python3'
web='chromium chromium-driver nodejs python3'
lint='clang-14 clang-format-14 clang-tidy-14 clangd-14 git python3 shellcheck'
# Debian packages of ours, and what looks whether they work.
deb='dpkg-dev fakeroot file lintian'

wanted=
for group in "${@:-all}"; do
    case $group in
        build) wanted="$wanted $build" ;;
        demo)  wanted="$wanted $demo" ;;
        jit)   wanted="$wanted $jit" ;;
        python) wanted="$wanted $python" ;;
        test)  wanted="$wanted $jit $python $test" ;;
        sweep) wanted="$wanted $sweep" ;;
        fuzz)  wanted="$wanted $jit $fuzz" ;;
        bench) wanted="$wanted $jit $bench" ;;
        lint)  wanted="$wanted $lint" ;;
        deb)   wanted="$wanted $deb" ;;
        playground) wanted="$wanted $playground" ;;
        web)   wanted="$wanted $web" ;;
        all)   wanted="$wanted $build $demo $jit $python $test $sweep $fuzz $bench $lint $deb $playground $web" ;;
        *)     echo "$0: no group of packages is called '$group': build, demo, jit, python, test, sweep, fuzz, bench, lint, deb, playground or web" >&2; exit 2 ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "$0: this is not a Debian system; be sure that these are installed:$wanted" >&2
    exit 0
fi

missing=
for package in $wanted; do
    case $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true) in
        installed) ;;
        *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        echo "$0: to install these, run as root: apt-get install$missing" >&2
        exit 1
    }
    as_root=sudo
fi

echo "installing:$missing"
$as_root apt-get update -q
# shellcheck disable=SC2086  # a list of words, on purpose
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
