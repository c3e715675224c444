// Spreadsheets as Excel and LibreOffice save them (Office Open XML, ECMA-376: .xlsx), as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace isaforge::cli {

inline constexpr std::uint64_t most_workbook_part = std::uint64_t{16} << 20;  // bytes of a sheet, or of all its texts
inline constexpr unsigned most_empty_sheets = 64;                             // in front of the one that is read
inline constexpr std::uint64_t most_workbook_text = std::uint64_t{64} << 20;  // bytes of what is made of it

// Whether a file begins as such a one.
bool is_workbook(const std::string& path);

struct Sheet {
    std::string name;
    std::string text;  // a line for each row, columns separated by tabs; what a cell spans besides its first is empty
    std::string others;  // names of the sheets behind it, separated by commas
};

// The first sheet that holds something. Nothing, and why, where the file is damaged or too large.
std::optional<Sheet> first_sheet(const std::string& path, std::string& error);

}  // namespace isaforge::cli
