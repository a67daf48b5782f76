/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libcudart and libcuda of ours share: one process, one simulated GPU, in the library libcowarp_cuda. The runtime and the driver API
 * are faces of it. A function answers with CUDA's own number of an error (both APIs have the same), 0 when all is well. Each takes the
 * process's lock, so threads may call any of them.
 *
 * Work is carried out when it is asked for, so a stream is always empty: that is an order that CUDA allows. What a kernel did wrong
 * is told where CUDA tells it, at the next call that waits.
 */
#ifndef CW_HARNESS_CUDA_H
#define CW_HARNESS_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cowarp/cowarp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CUDA's numbers. */
enum cw_cuda_code {
    CW_CUDA_OK = 0,
    CW_CUDA_INVALID_VALUE = 1,
    CW_CUDA_NO_MEMORY = 2,
    CW_CUDA_INIT = 3,
    CW_CUDA_UNLOADING = 4,
    CW_CUDA_CONFIGURATION = 9,
    CW_CUDA_PITCH = 12,
    CW_CUDA_SYMBOL = 13,
    CW_CUDA_DIRECTION = 21,
    CW_CUDA_MISSING_CONFIGURATION = 52,
    CW_CUDA_DEVICE_FUNCTION = 98,
    CW_CUDA_DEVICE = 101,
    CW_CUDA_IMAGE = 200,
    CW_CUDA_CONTEXT = 201,
    CW_CUDA_NO_IMAGE = 209,
    CW_CUDA_PTX = 218,
    CW_CUDA_FILE = 301,
    CW_CUDA_HANDLE = 400,
    CW_CUDA_NOT_FOUND = 500,
    CW_CUDA_NOT_READY = 600,
    CW_CUDA_ADDRESS = 700,
    CW_CUDA_RESOURCES = 701,
    CW_CUDA_TIMEOUT = 702,
    CW_CUDA_ASSERT = 710,
    CW_CUDA_REGISTERED = 712,
    CW_CUDA_NOT_REGISTERED = 713,
    CW_CUDA_MISALIGNED = 716,
    CW_CUDA_LAUNCH = 719,
    CW_CUDA_COOPERATIVE = 720,
    CW_CUDA_NOT_PERMITTED = 800,
    CW_CUDA_NOT_SUPPORTED = 801,
    CW_CUDA_CAPTURE = 900, /* the stream is being captured, and the call has to have its work done */
    CW_CUDA_UNKNOWN = 999
};

/* "cudaErrorInvalidValue" and what it means; NULL: CUDA has no such number that a call here gives. */
const char *cw_cuda_code_name(int code);
const char *cw_cuda_code_text(int code);
/* The error of this thread's last call that had one. */
int cw_cuda_last(bool forget);
/* Notes it; returns it. */
int cw_cuda_note(int code);
/* The last line that was said to the user; "" when none was. */
const char *cw_cuda_said(void);
/* A function that is not there has been called: says so once, and answers CW_CUDA_NOT_SUPPORTED. */
int cw_cuda_missing(const char *function);

struct cw_cuda_stream;
/* A function of such a library as cuBLAS is called, which the host computes (harness/hostlib); says so once. CW_CUDA_NOT_SUPPORTED:
 * `--libraries=refuse`, or the stream is being captured; both have been said. `name` is a literal. */
int cw_cuda_library(const char *name, const struct cw_cuda_stream *stream);

/* A container of a program, or the PTX that a program has given. */
struct cw_cuda_image;
/* Registers what nvcc's start-up code hands over (struct of magic 466243B1h). Never NULL: what is wrong with it is told when a kernel of it
 * is used. */
struct cw_cuda_image *cw_cuda_register(const void *wrapper);
/* Whether the program uses the runtime API, as its library says when it is loaded. */
bool cw_cuda_has_runtime(void);
void cw_cuda_use_runtime(void);
/* CW_CUDA_HANDLE: no image that is loaded. */
int cw_cuda_image_check(const struct cw_cuda_image *image);
/* Links pieces of PTX (harness/fatbin/link.h); the caller frees *text. CW_CUDA_PTX: they cannot be linked, which has been said. */
int cw_cuda_link(char **text, size_t *length, char *const *piece, char *const *name, unsigned cnt);
/* PTX text, a container or a wrapper, as cuModuleLoadData takes it. */
int cw_cuda_load(struct cw_cuda_image **image, const void *data);
int cw_cuda_load_file(struct cw_cuda_image **image, const char *path);
/* Its kernels can no longer be found. Its variables keep their memory. */
int cw_cuda_unload(struct cw_cuda_image *image);

struct cw_cuda_function;
/* A kernel, by the address of the function that stands for it in the host. */
void cw_cuda_register_function(struct cw_cuda_image *image, const void *host, const char *name);
void cw_cuda_register_variable(struct cw_cuda_image *image, const void *host, const char *name, size_t bytes);
/* The same of a managed one: *pointer is to have its address, which cw_cuda_place_managed sees to. */
void cw_cuda_register_managed(struct cw_cuda_image *image, void **pointer, const char *name, size_t bytes);
int cw_cuda_place_managed(struct cw_cuda_image *image);
/* By the host's address, or by a handle that such a call has given. */
int cw_cuda_function(struct cw_cuda_function **function, const void *host);
int cw_cuda_function_named(struct cw_cuda_function **function, struct cw_cuda_image *image, const char *name);
/* Kernel number i of an image; CW_CUDA_NOT_FOUND: it has no more. */
int cw_cuda_function_at(struct cw_cuda_function **function, struct cw_cuda_image *image, unsigned i);
const char *cw_cuda_function_name(const struct cw_cuda_function *function);
struct cw_cuda_image *cw_cuda_function_image(const struct cw_cuda_function *function);
int cw_cuda_function_param(struct cw_cuda_function *function, size_t i, size_t *offset, size_t *bytes);

struct cw_cuda_function_info {
    size_t shared_bytes, constant_bytes, local_bytes, dynamic_shared_most;
    int threads_most, registers, architecture;
};
int cw_cuda_function_info(struct cw_cuda_function *function, struct cw_cuda_function_info *info);
int cw_cuda_function_set_dynamic_shared(struct cw_cuda_function *function, int bytes);

/* A variable of the device, by the host's address of what stands for it. */
int cw_cuda_symbol(const void *host, void **address, size_t *bytes);
int cw_cuda_symbol_write(const void *host, size_t offset, const void *from, size_t bytes);
int cw_cuda_symbol_read(const void *host, size_t offset, void *to, size_t bytes);
/* The same by its name in an image. */
int cw_cuda_global(struct cw_cuda_image *image, const char *name, uint64_t *address, size_t *bytes);

struct cw_cuda_event;
struct cw_cuda_launch {
    uint32_t grid[3], block[3];
    size_t shared_bytes;
    void **args;        /* one pointer per parameter; or NULL: */
    const void *packed; /* the parameters as they lie in memory */
    size_t packed_bytes;
    struct cw_cuda_stream *stream;
    bool cooperative; /* all blocks run at once; grid-wide barriers of CUDA's are not there */
};
int cw_cuda_launch(struct cw_cuda_function *function, const struct cw_cuda_launch *launch);
/* What CUlaunchConfig and cudaLaunchConfig_t have besides; CW_CUDA_NOT_SUPPORTED: it asks for clusters. */
int cw_cuda_launch_attributes(struct cw_cuda_launch *launch, const void *attributes, unsigned cnt);
/* The dynamic shared memory that each of so many blocks of a core can have. */
int cw_cuda_occupancy_shared(size_t *bytes, struct cw_cuda_function *function, int blocks, int threads);
int cw_cuda_occupancy(int *blocks, struct cw_cuda_function *function, int threads, size_t shared_bytes);

#define CW_CUDA_ROW 512u /* rows of pitched memory are a multiple of this many bytes */

enum cw_cuda_memory { CW_CUDA_MEMORY_NONE, CW_CUDA_MEMORY_HOST, CW_CUDA_MEMORY_DEVICE, CW_CUDA_MEMORY_MANAGED };
/* Device memory; managed memory is device memory that the host sees at the same address. */
int cw_cuda_malloc(void **address, size_t bytes, enum cw_cuda_memory kind);
/* Memory of the host, which a kernel may use at the same address where there is room: with `mapped` there has to be. */
int cw_cuda_malloc_host(void **address, size_t bytes, bool mapped);
int cw_cuda_free(void *address);
int cw_cuda_free_host(void *address);
/* The program's own memory, which a kernel may then use at the address that cw_cuda_host_device gives. CW_CUDA_REGISTERED: some of it has
 * been registered; CW_CUDA_NOT_REGISTERED. */
int cw_cuda_host_register(void *host, size_t bytes, unsigned flags);
int cw_cuda_host_unregister(const void *host);
/* Both also of memory of cw_cuda_malloc_host. */
int cw_cuda_host_device(void **device, void *host);
int cw_cuda_host_flags(unsigned *flags, const void *host);
/* Pools of stream-ordered memory; attributes have CUDA's numbers. */
struct cw_cuda_pool;
struct cw_cuda_pool *cw_cuda_pool_first(void);
struct cw_cuda_pool *cw_cuda_pool_current(void);
int cw_cuda_pool_set_current(struct cw_cuda_pool *pool);
int cw_cuda_pool_create(struct cw_cuda_pool **pool);
int cw_cuda_pool_destroy(struct cw_cuda_pool *pool);
int cw_cuda_pool_allocate(void **address, size_t bytes, const struct cw_cuda_pool *pool);
int cw_cuda_pool_set(struct cw_cuda_pool *pool, int attribute, const void *value);
int cw_cuda_pool_get(const struct cw_cuda_pool *pool, int attribute, void *value);
/* What an address belongs to, and its beginning and size. */
enum cw_cuda_memory cw_cuda_memory_of(const void *address, uint64_t *base, size_t *bytes);
int cw_cuda_memory_info(size_t *free_bytes, size_t *total_bytes);
/* kind: 0 host to host, 1 host to device, 2 device to host, 3 device to device, 4 as the addresses say. */
int cw_cuda_copy(void *to, const void *from, size_t bytes, int kind);
/* A box of rows; pitches in bytes; slice: rows of `to` and `from` from one layer to the next. */
struct cw_cuda_box {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, to_slice, from_slice, width, height, depth;
    int kind;
    struct cw_cuda_stream *stream;
};
int cw_cuda_copy_box(const struct cw_cuda_box *box);
/* `value` has `unit` bytes (1, 2 or 4), count times in each of `rows` rows. */
int cw_cuda_set(void *to, uint32_t value, size_t unit, size_t count, size_t rows, size_t pitch, struct cw_cuda_stream *stream);

/* Texels: bits of each channel, all the same (8, 16, 32), 0 for those that are not there; 1, 2 or 4 channels. kind: 0 signed, 1 unsigned,
 * 2 float. */
struct cw_cuda_channel {
    int bits[4], kind;
};
/* CW_CUDA_INVALID_VALUE: not such a form. */
int cw_cuda_channel_check(const struct cw_cuda_channel *channel, size_t *texel_bytes);

/* Texels in rows, which only copies and handles reach. A height or a depth of 0: there is no such direction. */
struct cw_cuda_array;
struct cw_cuda_array_info {
    struct cw_cuda_channel channel;
    size_t width, height, depth; /* in texels; depth: layers when flags has bit 0 */
    unsigned flags;              /* CUDA's */
};
int cw_cuda_array_create(struct cw_cuda_array **array, const struct cw_cuda_array_info *info);
int cw_cuda_array_destroy(struct cw_cuda_array *array);
/* CW_CUDA_HANDLE: no array. */
int cw_cuda_array_check(const struct cw_cuda_array *array);
const struct cw_cuda_array_info *cw_cuda_array_info(const struct cw_cuda_array *array);
size_t cw_cuda_array_texel_bytes(const struct cw_cuda_array *array);
/* One end of a copy: the device's address of a place in it, with what struct cw_cuda_box takes besides. */
void *cw_cuda_array_place(const struct cw_cuda_array *array, size_t x_bytes, size_t y, size_t z, size_t *pitch, size_t *rows);

/* What a texture or a surface is of: an array, or memory (bytes: one row; pitch > 0: rows). */
struct cw_cuda_texels {
    struct cw_cuda_array *array;
    void *memory;
    struct cw_cuda_channel channel;
    size_t bytes, width, height, pitch;
};
struct cw_cuda_sampling {
    int address[3]; /* 0 wrap, 1 clamp, 2 mirror, 3 border */
    bool linear, normalized, to_float, srgb;
    float border[4];
};
/* The handle is what a kernel gets (CUDA C++ Programming Guide, Texture Memory). */
int cw_cuda_texture_create(uint64_t *handle, const struct cw_cuda_texels *texels, const struct cw_cuda_sampling *how);
int cw_cuda_texture_destroy(uint64_t handle);
/* Either may be NULL. */
int cw_cuda_texture_info(uint64_t handle, struct cw_cuda_texels *texels, struct cw_cuda_sampling *how);
/* The same for a reference, by the host's address of what stands for it. texels NULL: it stands for nothing. */
int cw_cuda_reference_bind(const void *host, const struct cw_cuda_texels *texels, const struct cw_cuda_sampling *how);

/* Waits for all work, and tells what it did wrong. */
int cw_cuda_wait(void);
int cw_cuda_reset(void);

int cw_cuda_stream_create(struct cw_cuda_stream **stream, unsigned flags, int priority);
int cw_cuda_stream_destroy(struct cw_cuda_stream *stream);
/* NULL, 1 and 2 are CUDA's own. CW_CUDA_HANDLE: no stream. */
int cw_cuda_stream_check(const struct cw_cuda_stream *stream);
unsigned cw_cuda_stream_flags(const struct cw_cuda_stream *stream);
int cw_cuda_stream_priority(const struct cw_cuda_stream *stream);
uint64_t cw_cuda_stream_id(const struct cw_cuda_stream *stream);
int cw_cuda_event_create(struct cw_cuda_event **event, unsigned flags);
int cw_cuda_event_destroy(struct cw_cuda_event *event);
/* In a stream that is being captured it is a mark of the graph. */
int cw_cuda_event_record(struct cw_cuda_event *event, struct cw_cuda_stream *stream);
/* A stream that waits for an event of a graph that is being captured is captured from then on. */
int cw_cuda_stream_wait_event(struct cw_cuda_stream *stream, const struct cw_cuda_event *event);
/* CW_CUDA_CAPTURE: the stream is being captured. */
int cw_cuda_stream_wait(struct cw_cuda_stream *stream);
int cw_cuda_event_wait(struct cw_cuda_event *event);
int cw_cuda_host_call(struct cw_cuda_stream *stream, void (*call)(void *), void *data);
int cw_cuda_event_check(const struct cw_cuda_event *event);
/* Simulated milliseconds between them. */
int cw_cuda_event_elapsed(float *milliseconds, const struct cw_cuda_event *begin, const struct cw_cuda_event *end);

/* Graphs. Nodes have CUDA's numbers. */
enum cw_cuda_node_kind {
    CW_CUDA_NODE_KERNEL,
    CW_CUDA_NODE_COPY,
    CW_CUDA_NODE_SET,
    CW_CUDA_NODE_HOST,
    CW_CUDA_NODE_CHILD,
    CW_CUDA_NODE_EMPTY,
    CW_CUDA_NODE_RECORD = 7,
    CW_CUDA_NODE_ALLOCATE = 10, /* has `to` and `width` bytes, and nothing to do: memory of a graph is there from the node on */
    CW_CUDA_NODE_FREE = 11      /* has `to` */
};
struct cw_cuda_graph;
struct cw_cuda_node;
struct cw_cuda_exec;
/* What a node does; the members that its kind has. Arguments are copied. */
struct cw_cuda_work {
    enum cw_cuda_node_kind kind;
    struct cw_cuda_function *function;
    const struct cw_cuda_launch *launch;
    const struct cw_cuda_box *box;
    void *to;
    uint32_t value;
    size_t unit, width, height, pitch;
    void (*call)(void *);
    void *data;
    const struct cw_cuda_graph *child;
    struct cw_cuda_event *event;
};
int cw_cuda_graph_create(struct cw_cuda_graph **graph);
int cw_cuda_graph_destroy(struct cw_cuda_graph *graph);
int cw_cuda_graph_clone(struct cw_cuda_graph **clone, const struct cw_cuda_graph *graph);
int cw_cuda_node_add(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t after_cnt,
                     const struct cw_cuda_work *work);
/* CW_CUDA_INVALID_VALUE: NULL, or a node of another kind. */
int cw_cuda_node_set(struct cw_cuda_node *node, const struct cw_cuda_work *work);
/* A node for memory, and what it has. The memory stays until the process ends, whoever gives it back: a later run of the graph needs it. */
int cw_cuda_node_allocate(struct cw_cuda_node **node, void **address, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after,
                          size_t after_cnt, size_t bytes);
int cw_cuda_node_memory(const struct cw_cuda_node *node, enum cw_cuda_node_kind kind, void **address, size_t *bytes);
/* The same of a stream that is being captured. */
int cw_cuda_capture_allocate(void **address, size_t bytes, struct cw_cuda_stream *stream);
int cw_cuda_capture_free(void *address, struct cw_cuda_stream *stream);
/* Bytes of graphs' memory. */
uint64_t cw_cuda_graph_bytes(void);
int cw_cuda_node_remove(struct cw_cuda_node *node);
enum cw_cuda_node_kind cw_cuda_node_kind(const struct cw_cuda_node *node);
/* node[i] comes after before[i]. */
int cw_cuda_graph_depend(struct cw_cuda_node *const *before, struct cw_cuda_node *const *node, size_t cnt);
/* Up to *cnt nodes, all or those that come after no other; *cnt is then how many. nodes NULL: their number alone. */
int cw_cuda_graph_nodes(struct cw_cuda_node **nodes, size_t *cnt, const struct cw_cuda_graph *graph, bool roots);
/* The same node in a copy of the graph; NULL: it has none. */
struct cw_cuda_node *cw_cuda_graph_twin(const struct cw_cuda_graph *graph, const struct cw_cuda_node *node);
/* CW_CUDA_INVALID_VALUE: its edges go round in a circle. */
int cw_cuda_exec_create(struct cw_cuda_exec **exec, const struct cw_cuda_graph *graph);
int cw_cuda_exec_destroy(struct cw_cuda_exec *exec);
int cw_cuda_exec_update(struct cw_cuda_exec *exec, const struct cw_cuda_graph *graph);
struct cw_cuda_graph *cw_cuda_exec_graph(struct cw_cuda_exec *exec);
int cw_cuda_exec_run(struct cw_cuda_exec *exec, struct cw_cuda_stream *stream);
/* What a program wishes of a stream (cudaStreamAttrID): remembered, and without effect. to and from: 64 bytes. CW_CUDA_INVALID_VALUE: no such wish. */
int cw_cuda_stream_wish(struct cw_cuda_stream *stream, int id, const void *from);
int cw_cuda_stream_wished(struct cw_cuda_stream *stream, int id, void *to);
/* From here on the stream's calls become nodes; up to here, which gives the graph. */
int cw_cuda_capture_begin(struct cw_cuda_stream *stream);
int cw_cuda_capture_end(struct cw_cuda_stream *stream, struct cw_cuda_graph **graph);
bool cw_cuda_is_capturing(const struct cw_cuda_stream *stream);

/* A configuration value of the machine ("core.count"); 0 when the machine cannot be made. */
uint32_t cw_cuda_value(const char *key);
/* An attribute of the device by CUDA's number (cudaDeviceAttr and CUdevice_attribute are the same). */
int cw_cuda_attribute(int *value, int attribute);
/* cudaLimit and CUlimit: stack, printf, heap and so on. They are remembered. */
int cw_cuda_set_limit(int limit, size_t value);
int cw_cuda_get_limit(size_t *value, int limit);
const char *cw_cuda_device_name(void);
/* Architecture of the newest PTX that the program has: 75. */
uint32_t cw_cuda_architecture(void);

#ifdef __cplusplus
}
#endif
#endif
