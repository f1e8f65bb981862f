package kit

import (
	"encoding/json"
	"math/bits"
	"strconv"
)

const (
	bucketCount = 4608
	longestNs   = 1<<42 - 1
)

// histogram has 128 buckets an octave, as contract/CONTRACT.md defines them.
type histogram struct {
	count, sum, least, most int64
	buckets                 [bucketCount]int64
}

func bucketOf(ns int64) int64 {
	if ns < 128 {
		return ns
	}
	if ns > longestNs {
		ns = longestNs
	}
	octave := int64(bits.Len64(uint64(ns))) - 1
	return 128*(octave-6) + ns>>(octave-7) - 128
}

// lowerBound is the least time of a bucket.
func lowerBound(bucket int64) int64 {
	if bucket < 128 {
		return bucket
	}
	return (128 + bucket%128) << (bucket/128 - 1)
}

func (h *histogram) record(ns int64) {
	if h.count == 0 || ns < h.least {
		h.least = ns
	}
	if ns > h.most {
		h.most = ns
	}
	h.count++
	h.sum += ns
	h.buckets[bucketOf(ns)]++
}

// median is the lower bound of the bucket of the median; false if the histogram is empty.
func (h *histogram) median() (int64, bool) {
	seen := int64(0)
	for bucket, count := range h.buckets {
		if seen += count; h.count > 0 && seen >= (h.count+1)/2 {
			return lowerBound(int64(bucket)), true
		}
	}
	return 0, false
}

func (h *histogram) merge(other *histogram) {
	if other.count > 0 && (h.count == 0 || other.least < h.least) {
		h.least = other.least
	}
	if other.most > h.most {
		h.most = other.most
	}
	h.count += other.count
	h.sum += other.sum
	for bucket, count := range other.buckets {
		h.buckets[bucket] += count
	}
}

// MarshalJSON writes HISTOGRAM of the contract.
func (h *histogram) MarshalJSON() ([]byte, error) {
	filled := [][2]int64{}
	for bucket, count := range h.buckets {
		if count > 0 {
			filled = append(filled, [2]int64{int64(bucket), count})
		}
	}
	return json.Marshal(map[string]any{
		"count": h.count, "sum_ns": strconv.FormatInt(h.sum, 10), "min_ns": h.least, "max_ns": h.most, "buckets": filled,
	})
}
