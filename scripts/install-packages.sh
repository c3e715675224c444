#!/bin/sh
# Every Debian package that this project needs, by what needs it, and the one place that installs them.
#
#   scripts/install-packages.sh [build] [test] [bench] [lint] [referee]        without an argument: all of them
#
# What is there already costs one look into the package database: no network, no root. Written for Debian 12; on another
# system this says what is wanted and leaves the rest to you.
set -eu

build='cmake g++ libcli11-dev libedit2 libelf-dev libfmt-dev libpng-dev libyaml-dev ninja-build nlohmann-json3-dev pkg-config'
test='binutils libgmock-dev libgtest-dev libmpfr-dev python3'
bench='libbenchmark-dev llvm python3 qemu-user gcc-riscv64-linux-gnu'
lint='clang clang-format clang-tidy git python3'
referee='clang gdb-multiarch lld lldb llvm python3'

wanted=
for group in "${@:-all}"; do
    case $group in
        build) wanted="$wanted $build" ;;
        test)  wanted="$wanted $test" ;;
        bench) wanted="$wanted $bench" ;;
        lint)  wanted="$wanted $lint" ;;
        referee) wanted="$wanted $referee" ;;
        all)   wanted="$wanted $build $test $bench $lint $referee" ;;
        *)     echo "$0: no group of packages is called '$group': build, test, bench, lint or referee" >&2; exit 2 ;;
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
