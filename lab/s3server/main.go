// An S3 server for the lab: one bucket, in memory, at the address of its first argument.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// logKeeper also keeps the lines of event logs as files below a directory, where the lab reads them in the end.
type logKeeper struct {
	*s3mem.Backend
	directory string
}

func (keeper logKeeper) PutObject(bucket, key string, meta map[string]string, input io.Reader, size int64, conditions *gofakes3.PutConditions) (gofakes3.PutObjectResult, error) {
	if !strings.Contains(key, "/log/") {
		return keeper.Backend.PutObject(bucket, key, meta, input, size, conditions)
	}
	var line strings.Builder
	result, err := keeper.Backend.PutObject(bucket, key, meta, io.TeeReader(input, &line), size, conditions)
	if err != nil {
		return result, err
	}
	file := filepath.Join(keeper.directory, bucket, key)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return result, err
	}
	return result, os.WriteFile(file, []byte(line.String()), 0o600)
}

func main() {
	backend := s3mem.New()
	if err := backend.CreateBucket("state"); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(os.Args[1], gofakes3.New(logKeeper{backend, os.Args[2]}).Server()))
}
