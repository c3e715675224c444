// Nothing of this library ends before the process does, nor of the plug-in that compiles, of which this is a part too. Their
// threads may run and compile kernels while the program leaves main(), and clients call from handlers at exit that run after
// any that could be named here: so no object of static storage is destroyed. Here the compiler's way of asking for that is
// answered with nothing.
extern "C" {

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the name that the compiler's code calls
[[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }
}
