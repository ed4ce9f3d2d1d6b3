// Answers that are remembered under a key of ids. Sharding rules, propagation steps and plans of
// reshards are functions of the ids of an operation's name, attributes, types and shardings.
//
// A model repeats its layers, so keys come again in the order in which they came before. Each entry
// stores which entry followed it the last time, and that one is tried before anything is hashed.
//
// Worked example: the keys A B C A B C. The first three are added. The fourth, A, is found by its
// hash, since nothing followed C so far. B and C are then found as the followers of A and B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/id.hpp"

namespace shardprop {

// A key: a number, and a list of ids or numbers.
template <class Word>
struct MemoKey {
  std::uint64_t head;
  std::span<const Word> words;
};

// At most `kMaxEntries` answers are stored; `insert` into a full memo clears it first. A caller
// that keeps parts of the answers elsewhere asks `is_full` before, and clears both.
template <class Word, class Answer>
class Memo {
 public:
  using Key = MemoKey<Word>;
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 20;

  // The answer under `key`, or null. The pointer stays valid until `insert`. O(size of the key).
  const Answer* find(const Key& key) {
    std::uint32_t at = last_ < entries_.size() ? entries_[last_].follower : kNone;
    if (at >= entries_.size() || !is_entry(at, key)) {
      at = index_.find(hash(key), [&](std::uint32_t i) { return is_entry(i, key); });
      if (at == kNone) return nullptr;
      follow_with(at);
    }
    last_ = at;
    ++hits_;
    return &entries_[at].answer;
  }

  // Stores `answer` under `key`, which must have none. Returns the stored answer.
  const Answer& insert(const Key& key, Answer answer) {
    if (is_full()) clear();
    const std::uint32_t at = static_cast<std::uint32_t>(entries_.size());
    index_.insert(hash(key), at);
    entries_.push_back({key.head, words_.size(), static_cast<std::uint32_t>(key.words.size()),
                        kNone, std::move(answer)});
    words_.insert(words_.end(), key.words.begin(), key.words.end());
    follow_with(at);
    last_ = at;
    return entries_[at].answer;
  }

  bool is_full() const { return entries_.size() >= kMaxEntries; }
  void clear() {
    entries_.clear();
    words_.clear();
    index_ = HashIndex();
    last_ = kNone;
  }

  std::size_t hits() const { return hits_; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const {
    return entries_.capacity() * sizeof(Entry) + words_.capacity() * sizeof(Word) + index_.bytes();
  }

 private:
  static constexpr std::uint32_t kNone = HashIndex::kEmpty;

  struct Entry {
    std::uint64_t head;
    std::size_t first_word;
    std::uint32_t word_count;
    std::uint32_t follower;  // the entry that came after this one the last time
    Answer answer;
  };

  // One multiplication per word. It is mixed well at the end, since the index takes the lowest
  // bits.
  static std::uint64_t hash(const Key& key) {
    std::uint64_t h = key.head;
    for (Word word : key.words) h = (h ^ (h >> 29) ^ number(word)) * 0x9E3779B97F4A7C15ull;
    return hash_mix(h, key.words.size());
  }
  static std::uint64_t number(std::uint32_t word) { return word; }
  template <class Tag>
  static std::uint64_t number(Id<Tag> word) {
    return word.index;
  }

  bool is_entry(std::uint32_t i, const Key& key) const {
    const Entry& e = entries_[i];
    if (e.head != key.head || e.word_count != key.words.size()) return false;
    const Word* const words = words_.data() + e.first_word;
    for (std::size_t w = 0; w < e.word_count; ++w) {
      if (words[w] != key.words[w]) return false;
    }
    return true;
  }

  void follow_with(std::uint32_t at) {
    if (last_ < entries_.size()) entries_[last_].follower = at;
  }

  std::vector<Entry> entries_;
  std::vector<Word> words_;  // of all keys, one after the other
  HashIndex index_;
  std::uint32_t last_ = kNone;
  std::size_t hits_ = 0;
};

}  // namespace shardprop
