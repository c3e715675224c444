/* Runs a script of kernels by OpenCL: opencl_host SOURCE SCRIPT REPEAT. The script's lines:
 *     buffer NAME BYTES [FILE]                 filled from the file before each run, or with zeros
 *     run KERNEL ITEMS GROUP ARGUMENT...       of a buffer's name, u32:N, f32:X
 *     save NAME FILE
 * Prints the seconds of the fastest run of all kernels, without compiling them. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_buffers = 16, most_launches = 256, most_words = 16 };

struct buffer {
    char name[32];
    size_t bytes;
    char* content;
    cl_mem memory;
};
struct launch {
    cl_kernel kernel;
    size_t items, group;
};

static struct buffer buffers[most_buffers];
static struct launch launches[most_launches];
static int buffer_count, launch_count;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void expect(int good, const char* what) {
    if (good) return;
    fprintf(stderr, "opencl: %s\n", what);
    exit(1);
}

static char* contents(const char* path, size_t* size) {
    FILE* const file = fopen(path, "rb");
    expect(file != NULL, path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* const bytes = calloc(1, *size + 1);
    expect(fread(bytes, 1, *size, file) == *size, path);
    fclose(file);
    return bytes;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static struct buffer* find(const char* name) {
    for (int i = 0; i < buffer_count; ++i)
        if (strcmp(buffers[i].name, name) == 0) return &buffers[i];
    expect(0, name);
    return NULL;
}

static void add_buffer(char** words, int count) {
    expect(buffer_count < most_buffers && count >= 3, "a buffer too many, or too little of it");
    struct buffer* const made = &buffers[buffer_count++];
    snprintf(made->name, sizeof made->name, "%s", words[1]);
    made->bytes = strtoull(words[2], NULL, 0);
    size_t size = 0;
    made->content = count > 3 ? contents(words[3], &size) : calloc(1, made->bytes);
    expect(count <= 3 || size >= made->bytes, "the file is too short");
    cl_int error;
    made->memory = clCreateBuffer(context, CL_MEM_READ_WRITE, made->bytes, NULL, &error);
    expect(error == CL_SUCCESS, made->name);
}

static void add_launch(char** words, int count) {
    expect(launch_count < most_launches && count >= 4, "a launch too many, or too little of it");
    struct launch* const made = &launches[launch_count++];
    cl_int error;
    made->kernel = clCreateKernel(program, words[1], &error);
    expect(error == CL_SUCCESS, words[1]);
    made->items = strtoull(words[2], NULL, 0);
    made->group = strtoull(words[3], NULL, 0);
    for (int i = 4; i < count; ++i) {
        const cl_uint number = (cl_uint)(i - 4);
        if (strncmp(words[i], "u32:", 4) == 0) {
            const cl_uint word = (cl_uint)strtoul(words[i] + 4, NULL, 0);
            error = clSetKernelArg(made->kernel, number, sizeof word, &word);
        } else if (strncmp(words[i], "f32:", 4) == 0) {
            const float real = strtof(words[i] + 4, NULL);
            error = clSetKernelArg(made->kernel, number, sizeof real, &real);
        } else {
            error = clSetKernelArg(made->kernel, number, sizeof(cl_mem), &find(words[i])->memory);
        }
        expect(error == CL_SUCCESS, words[i]);
    }
}

static double run(void) {
    for (int i = 0; i < buffer_count; ++i)
        expect(clEnqueueWriteBuffer(queue, buffers[i].memory, CL_TRUE, 0, buffers[i].bytes, buffers[i].content, 0, NULL, NULL) == CL_SUCCESS,
               buffers[i].name);
    const double begin = now();
    for (int i = 0; i < launch_count; ++i)
        expect(clEnqueueNDRangeKernel(queue, launches[i].kernel, 1, NULL, &launches[i].items, &launches[i].group, 0, NULL, NULL) == CL_SUCCESS,
               "not started");
    clFinish(queue);
    return now() - begin;
}

static void save(const char* name, const char* path) {
    const struct buffer* const buffer = find(name);
    char* const bytes = malloc(buffer->bytes);
    expect(clEnqueueReadBuffer(queue, buffer->memory, CL_TRUE, 0, buffer->bytes, bytes, 0, NULL, NULL) == CL_SUCCESS, name);
    FILE* const file = fopen(path, "wb");
    expect(file != NULL && fwrite(bytes, 1, buffer->bytes, file) == buffer->bytes && fclose(file) == 0, path);
    free(bytes);
}

/* The words of a line, which is cut. */
static int split(char* line, char** words) {
    int count = 0;
    for (char* word = strtok(line, " \n"); word != NULL && count < most_words; word = strtok(NULL, " \n")) words[count++] = word;
    return count;
}

int main(int argc, char** argv) {
    expect(argc == 4, "SOURCE SCRIPT REPEAT");
    size_t size = 0;
    const char* const source = contents(argv[1], &size);
    cl_platform_id platform;
    cl_device_id device;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    expect(error == CL_SUCCESS, "no platform");
    expect(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS, "no device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    program = clCreateProgramWithSource(context, 1, (const char**)&source, &size, &error);
    expect(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL) == CL_SUCCESS, "the source is not compiled");
    char line[1024], *words[most_words];
    double best = 1e9;
    FILE* const script = fopen(argv[2], "r");
    expect(script != NULL, argv[2]);
    while (fgets(line, sizeof line, script) != NULL) {
        const int count = split(line, words);
        if (count > 0 && strcmp(words[0], "buffer") == 0) add_buffer(words, count);
        if (count > 0 && strcmp(words[0], "run") == 0) add_launch(words, count);
    }
    for (int left = atoi(argv[3]); left > 0; --left) {
        const double seconds = run();
        if (seconds < best) best = seconds;
    }
    rewind(script);
    while (fgets(line, sizeof line, script) != NULL)
        if (split(line, words) == 3 && strcmp(words[0], "save") == 0) save(words[1], words[2]);
    printf("%.6f\n", best);
    return 0;
}
