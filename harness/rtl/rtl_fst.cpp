// SPDX-License-Identifier: Apache-2.0
// Verilator's FST writer, with file functions that see what goes wrong. By itself the writer does not look whether a write has succeeded,
// and it reads files of its own through mappings, which ends the process when a full disk has cut such a file short. Here it writes into a
// file that somebody else has opened, keeps its own files in memory, and every failure is noted.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <sstream>

#include "verilated.h"
#include "verilated_fst_c.h"

#include "rtl_library.h"

#define CW_EXPORT __attribute__((visibility("default")))

namespace
{

thread_local int next_fd = -1; // what files that are opened for writing are; -1: their names say it
thread_local int failure;      // errno of the first failed operation

template <typename T> T noted(bool good, T result)
{
    if (!good && failure == 0)
        failure = errno != 0 ? errno : EIO;
    return result;
}

FILE *noted_file(FILE *f)
{
    return noted(f != nullptr, f);
}

// The writer's own files: it never looks for them by their names.
FILE *memory_file()
{
    const int fd = memfd_create("fst", MFD_CLOEXEC);
    FILE *const f = fd >= 0 ? fdopen(fd, "w+b") : std::tmpfile();
    if (f == nullptr && fd >= 0)
        close(fd);
    return noted_file(f);
}

bool is_own(const char *name)
{
    const char *const dot = std::strrchr(name, '.');
    return dot != nullptr && std::strcmp(dot, ".hier") == 0;
}

FILE *fst_fopen(const char *name, const char *mode)
{
    if (std::strcmp(mode, "w+b") != 0)
        return std::fopen(name, mode);
    if (is_own(name))
        return memory_file();
    if (next_fd < 0)
        return noted_file(std::fopen(name, mode));
    const int own = fcntl(next_fd, F_DUPFD_CLOEXEC, 0);
    FILE *const f = own >= 0 ? fdopen(own, mode) : nullptr;
    if (f == nullptr && own >= 0)
        close(own);
    return noted_file(f);
}

int fst_unlink(const char *name)
{
    return is_own(name) || next_fd >= 0 ? 0 : unlink(name);
}

int fst_fclose(FILE *f)
{
    const int result = std::fclose(f);
    return noted(result == 0, result);
}

size_t fst_fwrite(const void *data, size_t size, size_t count, FILE *f)
{
    const size_t result = std::fwrite(data, size, count, f);
    return noted(result == count || size == 0, result);
}

int fst_fputc(int c, FILE *f)
{
    const int result = std::fputc(c, f);
    return noted(result != EOF, result);
}

int fst_fflush(FILE *f)
{
    const int result = std::fflush(f);
    return noted(result == 0, result);
}

int fst_fseeko(FILE *f, off_t offset, int whence)
{
    const int result = fseeko(f, offset, whence);
    return noted(result == 0, result);
}

int fst_ftruncate(int fd, off_t length)
{
    const int result = ftruncate(fd, length);
    return noted(result == 0, result);
}

// Beyond the end of a file one may not read: there are zeros instead.
void *fst_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    struct stat st;
    const bool whole = fstat(fd, &st) == 0 && static_cast<uint64_t>(st.st_size) >= bytes + static_cast<uint64_t>(offset);
    void *const mapped = whole ? mmap(at, bytes, protection, flags, fd, offset) : MAP_FAILED;
    if (mapped != MAP_FAILED)
        return mapped;
    return noted(false, mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

} // namespace

extern "C" CW_EXPORT void cw_fst_write_to(int fd)
{
    next_fd = fd;
    failure = 0;
}

extern "C" CW_EXPORT int cw_fst_failure(void)
{
    const int first = failure;
    failure = 0;
    return first;
}

#define fopen(name, mode)                   fst_fopen(name, mode)
#define unlink(name)                        fst_unlink(name)
#define tmpfile()                           memory_file()
#define fclose(f)                           fst_fclose(f)
#define fwrite(data, size, count, f)        fst_fwrite(data, size, count, f)
#define fputc(c, f)                         fst_fputc(c, f)
#define fflush(f)                           fst_fflush(f)
#define fseeko(f, offset, whence)           fst_fseeko(f, offset, whence)
#define ftruncate(fd, length)               fst_ftruncate(fd, length)
#define mmap(at, bytes, prot, flags, fd, o) fst_mmap(at, bytes, prot, flags, fd, o)

#include "verilated_fst_c.cpp"
