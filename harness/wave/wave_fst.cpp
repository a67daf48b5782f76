// SPDX-License-Identifier: Apache-2.0
// The plug-in behind wave_plugin.h. VerilatedTrace knows models that register callbacks; the C side's values are one more such model.
#include <memory>
#include <string>
#include <vector>

#include "verilated.h"
#include "verilated_fst_c.h"

#include "rtl/rtl_library.h"
#include "wave_plugin.h"

namespace
{

constexpr int FIRST_DTYPE = 100000; // far above the numbers that Verilated models give their own types

struct Values final : VerilatedModel {
    Values(VerilatedContext &context, const cw_wave_signal *s, uint32_t n, const cw_wave_enum *e, uint32_t ne)
        : VerilatedModel{context}, signal(s, s + n), enums(e, e + ne)
    {
    }
    const char *hierName() const override
    {
        return "cowarp";
    }
    const char *modelName() const override
    {
        return "cowarp";
    }
    unsigned threads() const override
    {
        return 1;
    }
    std::unique_ptr<VerilatedTraceConfig> traceConfig() const override
    {
        return std::unique_ptr<VerilatedTraceConfig>{new VerilatedTraceConfig{false, false, false}};
    }

    std::vector<cw_wave_signal> signal;
    std::vector<cw_wave_enum> enums;
    uint32_t base = 0;
};

// Codes count 32-bit words of old values; every signal has two.
uint32_t code_of(const Values *v, size_t i)
{
    return v->base + 2 * static_cast<uint32_t>(i);
}

std::string binary(uint32_t value, unsigned bits)
{
    std::string text(bits, '0');
    for (unsigned i = 0; i < bits; i++)
        if (value >> i & 1)
            text[bits - 1 - i] = '1';
    return text;
}

void declare_enum(VerilatedFst *fst, const cw_wave_enum &e, int number, unsigned bits)
{
    std::vector<std::string> text;
    std::vector<const char *> names, values;
    for (uint32_t i = 0; i < e.cnt; i++)
        text.push_back(binary(i, bits));
    for (uint32_t i = 0; i < e.cnt; i++) {
        names.push_back(e.value[i]);
        values.push_back(text[i].c_str());
    }
    fst->declDTypeEnum(number, e.name, e.cnt, bits, names.data(), values.data());
}

void init(void *self, VerilatedFst *fst, uint32_t base)
{
    Values *v = static_cast<Values *>(self);
    v->base = base;
    std::vector<bool> declared(v->enums.size());
    for (size_t i = 0; i < v->signal.size(); i++) {
        const cw_wave_signal &s = v->signal[i];
        const std::string name = std::string(s.scope) + " " + s.name;
        int dtype = -1;
        if (s.enum_index >= 0) {
            dtype = FIRST_DTYPE + s.enum_index;
            if (!declared[static_cast<size_t>(s.enum_index)])
                declare_enum(fst, v->enums[static_cast<size_t>(s.enum_index)], dtype, s.bits);
            declared[static_cast<size_t>(s.enum_index)] = true;
        }
        const int msb = static_cast<int>(s.bits) - 1;
        if (s.bits == 1)
            fst->declBit(code_of(v, i), name.c_str(), dtype, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1);
        else if (s.bits <= 32)
            fst->declBus(code_of(v, i), name.c_str(), dtype, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, msb, 0);
        else
            fst->declQuad(code_of(v, i), name.c_str(), dtype, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, msb, 0);
    }
}

template <bool full> void dump_all(void *self, VerilatedFst::Buffer *buffer)
{
    Values *v = static_cast<Values *>(self);
    for (size_t i = 0; i < v->signal.size(); i++) {
        const cw_wave_signal &s = v->signal[i];
        uint32_t *old = buffer->oldp(code_of(v, i));
        const int bits = static_cast<int>(s.bits);
        if (bits == 1)
            full ? buffer->fullBit(old, static_cast<CData>(*s.value)) : buffer->chgBit(old, static_cast<CData>(*s.value));
        else if (bits <= 32)
            full ? buffer->fullIData(old, static_cast<IData>(*s.value), bits) : buffer->chgIData(old, static_cast<IData>(*s.value), bits);
        else
            full ? buffer->fullQData(old, *s.value, bits) : buffer->chgQData(old, *s.value, bits);
    }
}

struct Writer {
    std::unique_ptr<VerilatedContext> own;
    std::unique_ptr<Values> values;
    VerilatedFstC fst;
    int failure = 0; // errno of the first thing that went wrong
};

void *open_writer(int fd, const cw_wave_signal *signal, uint32_t signal_cnt, const cw_wave_enum *enums, uint32_t enum_cnt,
                  const cw_wave_rtl *rtl, uint32_t rtl_cnt)
try {
    std::unique_ptr<Writer> w{new Writer};
    VerilatedContext *context;
    if (rtl_cnt > 0) {
        context = static_cast<VerilatedModel *>(rtl[0].model)->contextp();
    } else {
        w->own.reset(new VerilatedContext);
        w->own->traceEverOn(true);
        context = w->own.get();
    }
    w->values.reset(new Values(*context, signal, signal_cnt, enums, enum_cnt));
    w->fst.set_time_unit("1ps");
    w->fst.set_time_resolution("1ps");
    VerilatedFst *trace = w->fst.spTrace();
    trace->addModel(w->values.get());
    trace->addInitCb(init, w->values.get());
    trace->addFullCb(static_cast<VerilatedFst::dumpCb_t>(dump_all<true>), w->values.get());
    trace->addChgCb(static_cast<VerilatedFst::dumpCb_t>(dump_all<false>), w->values.get());
    for (uint32_t i = 0; i < rtl_cnt; i++)
        rtl[i].trace(rtl[i].self, &w->fst, 99);
    cw_fst_write_to(fd);
    w->fst.open("");
    w->failure = cw_fst_failure();
    cw_fst_write_to(-1);
    return w->fst.isOpen() ? w.release() : nullptr;
} catch (...) {
    return nullptr;
}

int note_failure(Writer *w)
{
    const int failure = cw_fst_failure();
    if (w->failure == 0)
        w->failure = failure;
    return w->failure;
}

int dump_writer(void *writer, uint64_t time_ps)
{
    Writer *w = static_cast<Writer *>(writer);
    cw_fst_failure(); // that of another writer of this thread
    w->fst.dump(time_ps);
    return note_failure(w);
}

int close_writer(void *writer)
{
    Writer *w = static_cast<Writer *>(writer);
    cw_fst_failure();
    w->fst.close();
    const int failure = note_failure(w);
    delete w;
    return failure;
}

// A range stands behind a name with a blank before it, or not.
std::string without_blanks(const char *name)
{
    std::string text;
    for (const char *at = name; *at != '\0'; at++)
        if (*at != ' ')
            text += *at;
    return text;
}

bool tell_names(const char *path, void (*each)(void *context, const char *name), void *context)
{
    void *const reader = fstReaderOpen(path);
    std::vector<std::string> scope;
    if (reader == nullptr)
        return false;
    for (const fstHier *h = fstReaderIterateHier(reader); h != nullptr; h = fstReaderIterateHier(reader)) {
        if (h->htyp == FST_HT_SCOPE)
            scope.emplace_back(std::string(h->u.scope.name) + ".");
        else if (h->htyp == FST_HT_UPSCOPE && !scope.empty())
            scope.pop_back();
        if (h->htyp != FST_HT_VAR)
            continue;
        std::string name;
        for (const std::string &level : scope)
            name += level;
        each(context, (name + without_blanks(h->u.var.name)).c_str());
    }
    fstReaderClose(reader);
    return true;
}

bool write_vcd(int fd, FILE *out)
{
    void *const reader = fstReaderOpen(("/proc/self/fd/" + std::to_string(fd)).c_str());
    if (reader == nullptr)
        return false;
    bool done = fstReaderProcessHier(reader, out) != 0;
    fstReaderSetFacProcessMaskAll(reader);
    done = done && fstReaderIterBlocks(reader, nullptr, nullptr, out) != 0;
    fstReaderClose(reader);
    return done;
}

const cw_wave_plugin plugin = {CW_WAVE_ABI, open_writer, dump_writer, close_writer, tell_names, write_vcd};

} // namespace

extern "C" const cw_wave_plugin *cw_wave_plugin_get(void)
{
    return &plugin;
}
