// SPDX-License-Identifier: Apache-2.0
//
// Terms, splitting and the proof loop behind symbolic.h, over Z3; and the RTL, from Yosys's SMT-LIB text.
//
//     equiv SMT2 [NAME=VALUE ...]
//
// The RTL is one bit vector per cycle (write_smt2 -stbv); every wire is a term over it, and the transition one assertion.
// Exit status 0: every requirement holds in every case. The runs of a case form a tree of decisions, walked depth first: the
// solver holds the decisions of the present run, and an undecided condition goes first the way that the solver's last model shows.
#include "symbolic.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <z3++.h>

namespace equiv
{

namespace
{

// Handles of numbers have the top bit, and stay: static tables of a model are made once, perhaps before main. 0 is the number 0. All
// other handles are terms of the present run.
struct number_table {
    std::vector<std::uint64_t> value;
    std::unordered_map<std::uint64_t, handle> found;
};
constexpr handle is_number_bit = 0x80000000u;

number_table &numbers()
{
    static number_table table;
    return table;
}

struct decision {
    z3::expr condition; // as it was taken
    bool taken;
    bool other_open; // the other way has not been tried
    std::uint64_t number;
};

struct engine {
    z3::context ctx;
    z3::solver solver{ctx, z3::solver::simple{}};
    std::vector<z3::expr> terms;
    std::vector<decision> trail;
    std::size_t depth = 0;
    std::unordered_map<unsigned, bool> known; // conditions decided in this run, by term
    std::vector<std::pair<z3::expr, std::string>> obligations;
    std::map<std::string, std::pair<z3::expr, unsigned>> wires[2];
    std::map<std::string, std::uint32_t> parameters;
    unsigned any_cnt = 0;
    z3::expr transition{ctx};
    z3::model model{ctx}; // of the trail, as the last check has found it
    unsigned long failures = 0;
};

engine *e;

[[noreturn]] void stop(const std::string &what)
{
    std::fprintf(stderr, "error: %s\n", what.c_str());
    std::exit(2);
}

std::uint64_t ones(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1;
}

handle number(std::uint64_t v, unsigned width)
{
    v &= ones(width);
    if (v == 0)
        return 0;
    auto [at, is_new] = numbers().found.emplace(v, is_number_bit | static_cast<handle>(numbers().value.size()));
    if (is_new)
        numbers().value.push_back(v);
    return at->second;
}

bool is_number(handle h)
{
    return h == 0 || (h & is_number_bit) != 0;
}

std::uint64_t number_of(handle h)
{
    return h == 0 ? 0 : numbers().value.at(h & ~is_number_bit);
}

handle keep(const z3::expr &term)
{
    e->terms.push_back(term);
    return static_cast<handle>(e->terms.size());
}

z3::expr term_of(handle h, unsigned width)
{
    return is_number(h) ? e->ctx.bv_val(number_of(h), width) : e->terms.at(h - 1);
}

std::uint64_t fold(operation op, std::uint64_t a, std::uint64_t b)
{
    switch (op) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIV:
        return b == 0 ? 0 : a / b;
    case REM:
        return b == 0 ? a : a % b;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case SHL:
        return b > 63 ? 0 : a << b;
    case SHR:
        return b > 63 ? 0 : a >> b;
    case EQ:
        return a == b;
    default:
        return a < b;
    }
}

z3::expr as_bit(const z3::expr &truth)
{
    return z3::ite(truth, e->ctx.bv_val(1, 1), e->ctx.bv_val(0, 1));
}

z3::expr build(operation op, const z3::expr &a, const z3::expr &b)
{
    switch (op) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIV:
        return z3::udiv(a, b);
    case REM:
        return z3::urem(a, b);
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case SHL:
        return z3::shl(a, b);
    case SHR:
        return z3::lshr(a, b);
    case EQ:
        return as_bit(a == b);
    default:
        return as_bit(z3::ult(a, b));
    }
}

bool possible()
{
    z3::check_result r = e->solver.check();
    if (r == z3::unknown)
        stop("the solver gives up: " + e->solver.reason_unknown());
    return r == z3::sat;
}

void put_on_trail(const z3::expr &condition, bool taken, bool other_open, std::uint64_t number)
{
    e->solver.push();
    e->solver.add(condition);
    e->trail.push_back({condition, taken, other_open, number});
    e->depth++;
}

// The same if the condition is possible together with those before it.
bool take(const z3::expr &condition, bool taken, bool other_open, std::uint64_t number)
{
    put_on_trail(condition, taken, other_open, number);
    if (possible()) {
        e->model = e->solver.get_model();
        return true;
    }
    e->solver.pop();
    e->trail.pop_back();
    e->depth--;
    return false;
}

} // namespace

handle constant(std::uint64_t v, unsigned width)
{
    return number(v, width);
}

handle combine(operation op, handle a, handle b, unsigned width)
{
    if ((op == DIV || op == REM) && (b == 0 || !is_number(b)))
        require_true(combine(XOR, combine(EQ, b, 0, width), constant(1, 1), 1), "a division by something else than 0");
    if (is_number(a) && is_number(b))
        return number(fold(op, number_of(a), number_of(b)), op == EQ || op == LT ? 1 : width);
    return keep(build(op, term_of(a, width), term_of(b, width)));
}

handle resize(handle a, unsigned from, unsigned to)
{
    if (is_number(a))
        return number(number_of(a), to);
    if (to == from)
        return a;
    z3::expr t = term_of(a, from);
    return keep(to > from ? z3::zext(t, to - from) : t.extract(to - 1, 0));
}

handle select(handle condition, handle a, handle b, unsigned width)
{
    if (is_number(condition))
        return condition != 0 ? a : b;
    return keep(z3::ite(term_of(condition, 1) == e->ctx.bv_val(1, 1), term_of(a, width), term_of(b, width)));
}

handle any(unsigned width)
{
    return keep(e->ctx.bv_const(("any" + std::to_string(e->any_cnt++)).c_str(), width));
}

bool decide(handle a)
{
    if (is_number(a))
        return a != 0;
    z3::expr yes = (term_of(a, 1) == e->ctx.bv_val(1, 1)).simplify();
    if (yes.is_true() || yes.is_false())
        return yes.is_true();
    auto seen = e->known.find(yes.id());
    if (seen != e->known.end())
        return seen->second;
    bool taken;
    if (e->depth < e->trail.size())
        taken = e->trail[e->depth++].taken;
    else { // the way that the model shows is possible
        taken = e->model.eval(yes, true).is_true();
        put_on_trail(taken ? yes : !yes, taken, true, 0);
    }
    e->known.emplace(yes.id(), taken);
    return taken;
}

std::uint64_t value(handle a, unsigned width)
{
    if (is_number(a))
        return number_of(a);
    z3::expr t = term_of(a, width);
    for (;;) {
        bool taken;
        std::uint64_t guess;
        if (e->depth < e->trail.size()) {
            taken = e->trail[e->depth].taken;
            guess = e->trail[e->depth++].number;
        } else {
            guess = e->model.eval(t, true).get_numeral_uint64();
            taken = true;
            put_on_trail(t == e->ctx.bv_val(guess, width), true, true, guess);
        }
        if (taken)
            return guess;
    }
}

handle rtl(int time, const char *name, unsigned low, unsigned width)
{
    auto found = e->wires[time].find(name);
    if (found == e->wires[time].end())
        stop(std::string("the RTL has no signal ") + name);
    auto &[term, size] = found->second;
    if (width == 0)
        width = size;
    if (low + width > size || width > 64)
        stop(std::string("a bad range of signal ") + name);
    z3::expr part = term.extract(low + width - 1, low);
    return keep(width < 64 ? z3::zext(part, 64 - width) : part);
}

void assume_true(handle a, const char *what)
{
    z3::expr yes = term_of(a, 1) == e->ctx.bv_val(1, 1);
    if (e->depth < e->trail.size())
        e->depth++;
    else if (!take(yes, true, false, 0))
        stop(std::string("the assumption cannot hold: ") + what);
}

void require_true(handle a, const char *what)
{
    if (a == 0 || !is_number(a))
        e->obligations.emplace_back(term_of(a, 1) == e->ctx.bv_val(1, 1), what);
}

std::uint32_t parameter(const char *name)
{
    auto found = e->parameters.find(name);
    if (found == e->parameters.end())
        stop(std::string("no parameter ") + name);
    return found->second;
}

namespace
{

struct wire {
    std::string name;
    unsigned width;
};

// Yosys lists ports and registers in comments: "; yosys-smt2-register NAME WIDTH". A wire between them would cost time to expand.
std::map<std::string, unsigned> wires_of(const std::string &text, bool registers_only)
{
    std::map<std::string, unsigned> found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string semicolon, kind, name;
        unsigned width;
        if (!(words >> semicolon >> kind >> name >> width) || semicolon != ";")
            continue;
        bool port = kind == "yosys-smt2-input" || kind == "yosys-smt2-output";
        if (kind == "yosys-smt2-register" || (port && !registers_only))
            found[name] = width;
    }
    return found;
}

void replace_all(std::string &text, const std::string &old_part, const std::string &new_part)
{
    for (std::size_t at = 0; (at = text.find(old_part, at)) != std::string::npos; at += new_part.size())
        text.replace(at, old_part.size(), new_part);
}

// Takes the transition, the last function of the text, away from it, and returns its body over the states now and next, with the
// function's last bracket.
std::string cut_transition(std::string &text, const std::string &module)
{
    std::size_t at = text.find("(define-fun |" + module + "_t| ");
    std::size_t body = at == std::string::npos ? at : text.find(" Bool ", at);
    if (body == std::string::npos)
        stop("no transition of module " + module);
    std::string cut = text.substr(body + 6);
    text.erase(at);
    replace_all(cut, " state)", " now)");
    replace_all(cut, " next_state)", " next)");
    return cut;
}

// Lets Z3's reader expand each wire's function over the states now and next. The transition is asserted over these two directly: as a
// function of two variables, it can keep the reader busy for minutes before it meets the first state.
void load_rtl(const std::string &path)
{
    std::ifstream file(path);
    std::stringstream buffer;
    buffer << file.rdbuf();
    std::string text = buffer.str();
    std::size_t at = text.find("; yosys-smt2-module ");
    if (at == std::string::npos)
        stop("no Yosys module in " + path);
    std::istringstream module_line(text.substr(at + 20, 200));
    std::string module;
    module_line >> module;
    std::map<std::string, unsigned> wires[2] = {wires_of(text, false), wires_of(text, true)};
    std::string transition = cut_transition(text, module);
    std::ostringstream extra;
    extra << "(declare-const now |" << module << "_s|)\n(declare-const next |" << module << "_s|)\n";
    for (int time = 0; time < 2; time++)
        for (auto &[name, width] : wires[time]) {
            std::string call = "(|" + module + "_n " + name + "| " + (time ? "next" : "now") + ")";
            if (width == 1)
                call = "(ite " + call + " #b1 #b0)";
            extra << "(declare-const |" << time << " " << name << "| (_ BitVec " << width << "))\n(assert (= |" << time << " " << name
                  << "| " << call << "))\n";
        }
    extra << "(assert " << transition;
    z3::expr_vector parsed = e->ctx.parse_string((text + extra.str()).c_str());
    if (parsed.size() != wires[0].size() + wires[1].size() + 1)
        stop("unexpected text in " + path);
    unsigned i = 0;
    for (int time = 0; time < 2; time++)
        for (auto &[name, width] : wires[time])
            e->wires[time].insert({name, {parsed[static_cast<int>(i++)].arg(1), width}});
    e->transition = parsed[static_cast<int>(i)];
}

// All requirements of one run at once; only when one fails, each.
bool prove_run(const char *name)
{
    if (e->obligations.empty())
        return true;
    z3::expr_vector all(e->ctx);
    for (auto &[o, what] : e->obligations)
        all.push_back(o);
    e->solver.push();
    e->solver.add(!z3::mk_and(all));
    bool holds = !possible();
    e->solver.pop();
    if (holds)
        return true;
    for (auto &[o, what] : e->obligations) {
        e->solver.push();
        e->solver.add(!o);
        if (possible())
            std::printf("%s: NOT EQUAL: %s\n", name, what.c_str());
        e->solver.pop();
    }
    return false;
}

// Drops decisions until one can be taken the other way. False: the tree has been walked.
bool next_run()
{
    while (!e->trail.empty()) {
        decision last = e->trail.back();
        e->trail.pop_back();
        e->solver.pop();
        e->depth = e->trail.size();
        if (last.other_open && take(!last.condition, !last.taken, false, last.number))
            return true;
    }
    return false;
}

bool prove_case(const equiv_case &c)
{
    e->solver.reset();
    e->solver.add(e->transition);
    e->trail.clear();
    if (!possible())
        stop("the RTL's transition is contradictory");
    e->model = e->solver.get_model();
    auto start = std::chrono::steady_clock::now();
    unsigned long runs = 0, failed = 0;
    do {
        e->depth = 0;
        e->known.clear();
        e->obligations.clear();
        e->terms.clear();
        e->any_cnt = 0;
        c.run();
        runs++;
        failed += !prove_run(c.name);
    } while (failed == 0 && next_run());
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%s: %lu ways, %s (%.1f s)\n", c.name, runs, failed ? "NOT PROVED" : "proved", seconds.count());
    std::fflush(stdout);
    return failed == 0;
}

} // namespace
} // namespace equiv

int main(int argc, char **argv)
{
    bool all = true;
    if (argc < 2)
        equiv::stop("usage: equiv SMT2 [NAME=VALUE ...]");
    equiv::engine engine;
    equiv::e = &engine;
    for (int i = 2; i < argc; i++) {
        std::string word = argv[i];
        std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            equiv::stop("not NAME=VALUE: " + word);
        engine.parameters[word.substr(0, equals)] = static_cast<std::uint32_t>(std::stoul(word.substr(equals + 1)));
    }
    equiv::load_rtl(argv[1]);
    for (const equiv_case *c = equiv_cases; c->name; c++)
        all = equiv::prove_case(*c) && all;
    return all ? 0 : 1;
}
