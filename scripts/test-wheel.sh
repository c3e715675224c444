#!/bin/sh
# Installs a wheel into an empty folder and uses it from there: scripts/test-wheel.sh WHEEL.
set -eu
wheel=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
/usr/bin/python3 -m pip install --quiet --root-user-action=ignore --no-deps --no-index --target "$place" "$wheel"
cd "$place"
PYTHONPATH="$place" /usr/bin/python3 - <<'EOF'
import os

import isaforge

assert isaforge.__file__.startswith(os.getcwd()), isaforge.__file__
assert "gcn1.4" in isaforge.builtin_isas()
print("the wheel works:", isaforge.load("wishbone-gpu").title)
EOF
