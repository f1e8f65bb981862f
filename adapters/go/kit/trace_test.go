package kit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// The loop replays every golden trace. It must make the same calls at the same times and count the same.
func TestGoldenTraces(t *testing.T) {
	files, err := filepath.Glob("../../../contract/golden/traces/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no golden traces: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { playGolden(t, file) })
	}
}

func playGolden(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		trace
		Expect struct {
			Done   map[string]any `json:"done"`
			Late   any            `json:"late"`
			GaveUp bool           `json:"gave_up"`
			Made   any            `json:"made"`
		} `json:"expect"`
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	said, err := json.Marshal(golden.play())
	if err != nil {
		t.Fatal(err)
	}
	var played struct {
		Done map[string]any `json:"done"`
		Made any            `json:"made"`
	}
	if err := json.Unmarshal(said, &played); err != nil {
		t.Fatal(err)
	}
	expected := golden.Expect.Done
	expected["late"], expected["gave_up"] = golden.Expect.Late, golden.Expect.GaveUp
	for name, value := range expected {
		// The host makes the window of what is late.
		windowed := name == "timed" || name == "window_ns" || name == "answered" || name == "in_flight" || name == "in_flight_part"
		if !windowed && !reflect.DeepEqual(value, played.Done[name]) {
			t.Errorf("%s is %v, not %v", name, played.Done[name], value)
		}
	}
	if !reflect.DeepEqual(golden.Expect.Made, played.Made) {
		t.Errorf("the calls made were %v, not %v", played.Made, golden.Expect.Made)
	}
}
