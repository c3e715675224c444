#include "assembler/ahead.hpp"

#include <algorithm>

#include "assembler/characters.hpp"
#include "support/text_scan.hpp"
#include "support/threads.hpp"

namespace isaforge::assembler {

Ahead::Ahead(const Codec& codec, std::string_view text, unsigned threads)
    : codec_(codec),
      own_(codec, text.data() + text.size()),
      text_(text),
      chunks_((text.size() + chunk_size - 1) / chunk_size) {
    for (std::size_t i = 0; i <= chunks_.size(); ++i) {
        // A line may go over many chunks, and is not searched for each of them.
        const bool same = i > 0 && lines_.back() >= text.data() + std::min(i * chunk_size, text.size());
        lines_.push_back(same ? lines_.back() : line_from(i * chunk_size));
    }
    for (unsigned i = 1; i < threads && i < chunks_.size(); ++i)
        if (!start_thread(threads_, [this](const std::stop_token& stop) { try_to_work(stop); })) break;
}

Ahead::~Ahead() {
    for (std::jthread& thread : threads_) thread.request_stop();
    changed_.notify_all();
}

// The first line that begins at or behind this offset.
const char* Ahead::line_from(std::size_t offset) const {
    if (offset == 0) return text_.data();
    if (offset >= text_.size()) return text_.data() + text_.size();
    const std::size_t end = text_.find('\n', offset - 1);
    return end == std::string_view::npos ? text_.data() + text_.size() : text_.data() + end + 1;
}

// Where lines do not end statements, one that goes on with the next line is the engine's.
bool Ahead::ends_here(const char* p, const char* line_end) const {
    const std::string& mark = codec_.isa().surface.statement_end;
    while (p < line_end && is(*p, class_blank)) ++p;
    return mark.empty() || std::string_view(p, static_cast<std::size_t>(line_end - p)).starts_with(mark);
}

void Ahead::encode(PlainStatements& reader, std::size_t chunk, std::vector<EncodedAhead>& statements) const {
    const char* p = lines_[chunk];
    const char* const until = lines_[chunk + 1];
    Encoded encoded;
    while (p < until) {
        const char* const line_end = scan_line(p, until);
        while (p < line_end && is(*p, class_blank)) ++p;
        if (p < line_end && is(*p, class_name_start) && *p != '.') {
            const char* q = p;
            if (reader.read(q, encoded) && q <= line_end && ends_here(q, line_end) && q - p < 0xffff) {
                statements.push_back({p,
                                      {encoded.image.words[0], encoded.image.words[1]},
                                      encoded.form,
                                      static_cast<std::uint16_t>(q - p),
                                      static_cast<std::uint16_t>(encoded.bits)});
            }
        }
        p = line_end + 1;
    }
}

// Encodes the first chunk that nobody has begun, without the lock.
void Ahead::encode_next(PlainStatements& reader, std::unique_lock<std::mutex>& lock) {
    constexpr std::size_t usual_line = 24;
    const std::size_t chunk = next_++;
    std::vector<EncodedAhead> statements;
    if (!spare_.empty()) {
        statements = std::move(spare_.back());
        spare_.pop_back();
    }
    lock.unlock();
    try {
        statements.clear();
        statements.reserve(chunk_size / usual_line);
        encode(reader, chunk, statements);
    } catch (const std::bad_alloc&) {
        statements = {};  // the engine encodes what it does not find here, and says if it cannot
    }
    lock.lock();
    chunks_[chunk].statements = std::move(statements);
    chunks_[chunk].ready = true;
}

void Ahead::try_to_work(const std::stop_token& stop) {
    try {
        work(stop);
    } catch (const std::bad_alloc&) {  // before the first chunk: others take it
    }
}

void Ahead::work(const std::stop_token& stop) {
    PlainStatements reader(codec_, text_.data() + text_.size());
    std::unique_lock lock(mutex_);
    while (true) {
        const auto may_begin = [&] { return next_ >= chunks_.size() || next_ < needed_ + window; };
        if (!changed_.wait(lock, stop, may_begin) || next_ >= chunks_.size()) return;
        encode_next(reader, lock);
        changed_.notify_all();
    }
}

// Makes the chunk ready. Rather than wait, the engine's thread takes the next one that nobody has begun.
void Ahead::enter(std::size_t chunk) {
    std::unique_lock lock(mutex_);
    for (; current_ < chunk; ++current_) spare_.push_back(std::move(chunks_[current_].statements));
    needed_ = chunk;
    next_ = std::max(next_, chunk);
    changed_.notify_all();
    while (!chunks_[chunk].ready) {
        if (next_ < chunks_.size() && next_ < needed_ + window) {
            encode_next(own_, lock);
        } else {
            changed_.wait(lock);
        }
    }
    next_statement_ = 0;
    entered_ = true;
}

const EncodedAhead* Ahead::find(const char* p) {
    if (p < text_.data() || p >= text_.data() + text_.size()) return nullptr;
    // A line belongs to the chunk in which it begins; `p` is behind that.
    if (p < lines_[current_]) return nullptr;
    std::size_t chunk = current_;
    while (chunk + 1 < chunks_.size() && lines_[chunk + 1] <= p) ++chunk;
    if (chunk > current_ || !entered_) enter(chunk);
    const std::vector<EncodedAhead>& statements = chunks_[current_].statements;
    if (next_statement_ > 0 && statements[next_statement_ - 1].begin >= p) {  // the text is read again
        const auto known = std::lower_bound(statements.begin(), statements.end(), p,
                                            [](const EncodedAhead& one, const char* at) { return one.begin < at; });
        next_statement_ = static_cast<std::size_t>(known - statements.begin());
    }
    while (next_statement_ < statements.size() && statements[next_statement_].begin < p) ++next_statement_;
    if (next_statement_ == statements.size() || statements[next_statement_].begin != p) return nullptr;
    return &statements[next_statement_++];
}

}  // namespace isaforge::assembler
