// An S3 server for the lab: one bucket, in memory, at the address of its argument.
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

func main() {
	backend := s3mem.New()
	if err := backend.CreateBucket("state"); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(os.Args[1], gofakes3.New(backend).Server()))
}
