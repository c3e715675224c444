// Storage for emulated memories. What is asked for is checked here, before anything is taken.
#pragma once

#include <cstdint>
#include <string>

namespace isaforge::machine {

// Zero pages, which are only taken when they are touched; null where there is no room.
std::uint8_t* take_pages(std::uint64_t bytes);
void release_pages(std::uint8_t* pages, std::uint64_t bytes);
// All zero once more.
void clear_pages(std::uint8_t* pages, std::uint64_t bytes);

// Why a size cannot be had.
std::string no_room_for(std::uint64_t bytes);

}  // namespace isaforge::machine
