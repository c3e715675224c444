/* Loops that OpenACC takes to a GPU, each next to the same loop on the host.

   To build and run it on a machine without a GPU:

       gcc-12 -O2 -fopenacc -foffload=amdgcn-amdhsa -foffload-options=amdgcn-amdhsa=-march=gfx900 openacc.c -o openacc -lm
       isaforge gpu -- ./openacc */
#include <math.h>
#include <openacc.h>
#include <stdio.h>

enum { count = 5000, width = 60, height = 40 };

static int wrong, results;

static void expect(int right)
{
    ++results;
    wrong += !right;
}

static void parallel_loop(void)
{
    static float x[count], y[count];
    for (int i = 0; i < count; ++i) {
        x[i] = i;
        y[i] = 1;
    }
    int on_device = 0;
    #pragma acc parallel loop copyin(x) copy(y) copyout(on_device)
    for (int i = 0; i < count; ++i) {
        y[i] = 2 * x[i] + y[i];
        if (i == 0)
            on_device = acc_on_device(acc_device_not_host);
    }
    expect(on_device);
    for (int i = 0; i < count; ++i)
        expect(y[i] == 2 * i + 1);
}

static void reductions(void)
{
    long sum = 0;
    int most = 0;
    #pragma acc parallel loop reduction(+: sum) reduction(max: most) gang worker vector copy(sum, most)
    for (int i = 0; i < count; ++i) {
        sum += i;
        most = i * 31 % count > most ? i * 31 % count : most;
    }
    expect(sum == (long)count * (count - 1) / 2);
    expect(most == count - 1);
}

/* Some steps of heat that spreads: gangs take rows, and the lanes of a gang what is in a row. */
static void step(double from[height][width], double to[height][width])
{
    #pragma acc parallel loop gang present(from[0:height][0:width], to[0:height][0:width]) async(1)
    for (int y = 1; y < height - 1; ++y) {
        #pragma acc loop vector
        for (int x = 1; x < width - 1; ++x)
            to[y][x] = (from[y][x - 1] + from[y][x + 1] + from[y - 1][x] + from[y + 1][x]) / 4;
    }
}

static void host_step(double from[height][width], double to[height][width])
{
    for (int y = 1; y < height - 1; ++y)
        for (int x = 1; x < width - 1; ++x)
            to[y][x] = (from[y][x - 1] + from[y][x + 1] + from[y - 1][x] + from[y + 1][x]) / 4;
}

static void heat(void)
{
    static double a[height][width], b[height][width], expected[height][width], other[height][width];
    for (int x = 0; x < width; ++x)
        a[0][x] = b[0][x] = expected[0][x] = other[0][x] = 100 * sin(x * 0.1);
    #pragma acc data copy(a) copyin(b)
    {
        for (int i = 0; i < 5; ++i) {
            step(a, b);
            step(b, a);
        }
        #pragma acc wait(1)
    }
    for (int i = 0; i < 5; ++i) {
        host_step(expected, other);
        host_step(other, expected);
    }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            expect(a[y][x] == expected[y][x]);
}

/* Data that is there until it is told to leave, and is brought up to date in between. */
static void unstructured_data(void)
{
    static int numbers[count];
    int counts[8] = {0};
    #pragma acc enter data create(numbers) copyin(counts)
    for (int i = 0; i < count; ++i)
        numbers[i] = i * i % 8;
    #pragma acc update device(numbers)
    #pragma acc parallel loop present(numbers, counts)
    for (int i = 0; i < count; ++i) {
        #pragma acc atomic
        ++counts[numbers[i]];
    }
    #pragma acc update self(counts)
    #pragma acc exit data delete(numbers, counts)
    for (int i = 0; i < count; ++i)
        --counts[i * i % 8];
    for (int i = 0; i < 8; ++i)
        expect(counts[i] == 0);
    expect(!acc_is_present(numbers, sizeof numbers));
}

int main(void)
{
    parallel_loop();
    reductions();
    heat();
    unstructured_data();
    if (wrong == 0)
        printf("openacc: %d results, all as on the host\n", results);
    else
        printf("openacc: WRONG: %d of %d results differ from the host's\n", wrong, results);
    return wrong != 0;
}
