// What a process knows of itself: arguments, environment, files, time.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void goodbye(void) { puts("and out"); }

int main(int count, char** arguments) {
    atexit(goodbye);
    for (int i = 1; i < count; ++i) printf("%d: %s\n", i, arguments[i]);
    printf("%s\n", getenv("COLOUR") ? getenv("COLOUR") : "no colour");
    FILE* missing = fopen("/there/is/no/such/file", "r");
    printf("%s, %d\n", missing ? "opened" : "not opened", isatty(1));
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const struct timespec nap = {0, 2000000};
    nanosleep(&nap, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    const long long slept = (after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec;
    printf("%s\n", slept >= 2000000 && slept < 1000000000 ? "slept" : "woken");
    char line[100];
    while (fgets(line, sizeof line, stdin)) fprintf(stderr, "%zu", strlen(line));
    printf("%ld pages of %ld\n", sysconf(_SC_PAGESIZE) / 4096, sysconf(_SC_PAGESIZE));
    fflush(stdout);
    write(1, "written\n", 8);
    exit(41);
}
