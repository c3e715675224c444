// Which bits tell the forms of a model from one another.
#pragma once

#include "isaforge/isa.hpp"

namespace isaforge::codec {

// Of all forms but aliases. Where bits that are fixed in some forms only are needed to tell others, the former belong to
// several leaves.
DecodeTree decode_tree(const Isa& isa);

}  // namespace isaforge::codec
