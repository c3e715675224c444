// WebAssembly rounds floats to the nearest, and in no other direction: a run ends where it is asked to.
#include "machine/micro_op.hpp"

namespace isaforge::machine {

namespace {

void refuse(ISAFORGE_HANDLER_PARAMETERS) { raise(op, core, count, pending, StopReason::undefined); }

}  // namespace

Handler rounded_handler(ir::Op, unsigned) { return refuse; }

}  // namespace isaforge::machine
