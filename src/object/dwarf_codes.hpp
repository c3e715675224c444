// What the numbers of DWARF's sections mean that are written or read here: section 7 of the DWARF 5 standard.
#pragma once

#include <cstdint>

namespace isaforge::dwarf {

// Entries of .debug_info and their attributes.
enum : std::uint8_t {
    tag_compile_unit = 0x11,
    at_name = 0x03,
    at_stmt_list = 0x10,
    at_low_pc = 0x11,
    at_high_pc = 0x12,
    at_language = 0x13,
    at_producer = 0x25,
};

enum : std::uint8_t {
    form_addr = 0x01,
    form_block2 = 0x03,
    form_block4 = 0x04,
    form_data2 = 0x05,
    form_data4 = 0x06,
    form_data8 = 0x07,
    form_string = 0x08,
    form_block = 0x09,
    form_block1 = 0x0a,
    form_data1 = 0x0b,
    form_strp = 0x0e,
    form_udata = 0x0f,
    form_sec_offset = 0x17,
    form_data16 = 0x1e,
    form_line_strp = 0x1f,
};

// Operations of the line number program: standard, extended; content types of its header.
enum : std::uint8_t {
    lns_copy = 1,
    lns_advance_pc = 2,
    lns_advance_line = 3,
    lns_set_file = 4,
    lns_set_column = 5,
    lns_const_add_pc = 8,
    lns_fixed_advance_pc = 9,
};
enum : std::uint8_t { lne_end_sequence = 1, lne_set_address = 2, lne_define_file = 3 };
enum : std::uint8_t { lnct_path = 1, lnct_directory_index = 2 };

}  // namespace isaforge::dwarf
