// What the emulated processors are to be: told by `isaforge gpu` in the environment of the program that it starts.
#pragma once

#include <string>
#include <vector>

#include "isaforge/machine.hpp"

namespace isaforge::hsa {

struct Settings {
    std::vector<std::string> processors = {"gfx900"};   // ISAFORGE_GPU_ISA=gfx900,gfx803
    unsigned units = 4;                                 // ISAFORGE_GPU_UNITS: compute units that a processor says it has
    unsigned threads = 0;                               // ISAFORGE_GPU_THREADS: that run wavefronts; 0: as many as the host has
    Engine engine = Engine::automatic;                  // ISAFORGE_GPU_ENGINE
    Checks checks;                                      // ISAFORGE_GPU_CHECK
    std::vector<std::string> ignored;                   // ISAFORGE_GPU_IGNORE: patterns of sources that checks say nothing of
    bool trace = false;                                 // ISAFORGE_GPU_TRACE=1: a line for each kernel that was launched
    bool profile = false;                               // ISAFORGE_GPU_PROFILE=1: at the end, which took how long
};

// What is wrong in the environment is said on standard error and left out.
Settings settings_of_environment();

}  // namespace isaforge::hsa
