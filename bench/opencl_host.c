/* Runs a kernel by OpenCL: opencl_host SOURCE KERNEL ITEMS GROUP REPEAT ARGUMENT..., arguments being i32:N, f32:X, in:FILE and
 * out:BYTES:FILE. Prints the seconds of the fastest run, without compiling it. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    char* const bytes = malloc(*size + 1);
    expect(fread(bytes, 1, *size, file) == *size, path);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
    expect(argc > 5, "SOURCE KERNEL ITEMS GROUP REPEAT ARGUMENT...");
    size_t size = 0;
    const char* const source = contents(argv[1], &size);
    const size_t items = strtoull(argv[3], NULL, 0), group = strtoull(argv[4], NULL, 0);
    cl_platform_id platform;
    cl_device_id device;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    expect(error == CL_SUCCESS, "no platform");
    expect(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS, "no device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithSource(context, 1, (const char**)&source, &size, &error);
    expect(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL) == CL_SUCCESS, "the source is not compiled");
    cl_kernel kernel = clCreateKernel(program, argv[2], &error);
    expect(error == CL_SUCCESS, "no such kernel");
    cl_mem out = NULL;
    size_t out_bytes = 0;
    const char* out_path = NULL;
    for (int i = 6; i < argc; ++i) {
        const cl_uint number = (cl_uint)(i - 6);
        char* const value = strchr(argv[i], ':') + 1;
        if (strncmp(argv[i], "i32:", 4) == 0) {
            const cl_uint word = (cl_uint)strtoul(value, NULL, 0);
            error = clSetKernelArg(kernel, number, sizeof word, &word);
        } else if (strncmp(argv[i], "f32:", 4) == 0) {
            const float real = strtof(value, NULL);
            error = clSetKernelArg(kernel, number, sizeof real, &real);
        } else {
            const int is_input = strncmp(argv[i], "in:", 3) == 0;
            size_t bytes = 0;
            char* const data = is_input ? contents(value, &bytes) : NULL;
            if (!is_input) bytes = out_bytes = strtoull(value, NULL, 0);
            cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
            if (is_input) error = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
            if (!is_input) out = buffer, out_path = strchr(value, ':') + 1;
            if (error == CL_SUCCESS) error = clSetKernelArg(kernel, number, sizeof buffer, &buffer);
        }
        expect(error == CL_SUCCESS, argv[i]);
    }
    double best = 1e9;
    char* const result = calloc(1, out_bytes);
    for (int run = atoi(argv[5]); run > 0; --run) {
        memset(result, 0, out_bytes);
        clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, out_bytes, result, 0, NULL, NULL);
        const double begin = now();
        expect(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL) == CL_SUCCESS, "not started");
        clFinish(queue);
        if (now() - begin < best) best = now() - begin;
        expect(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, out_bytes, result, 0, NULL, NULL) == CL_SUCCESS, "no result");
    }
    FILE* const file = fopen(out_path, "wb");
    expect(file != NULL && fwrite(result, 1, out_bytes, file) == out_bytes && fclose(file) == 0, out_path);
    printf("%.6f\n", best);
    return 0;
}
