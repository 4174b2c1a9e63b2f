package cloud

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// failure words an error as the original does: its frame is what an operator sees around the API's message.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sdk-v2/provider2.go:572: sdk.helper_schema: %s: provider=hcloud@%s", message(err), Version)
}

// halfMade says that the resource exists, though a later step failed.
func halfMade(err error) error {
	reason := fmt.Sprintf("1 error occurred:\n\t* %s\n\n", message(err))
	return infer.ResourceInitFailedError{Reasons: []string{reason}}
}

func message(err error) string {
	var api hcloud.Error
	if !errors.As(err, &api) {
		return err.Error()
	}
	details, ok := api.Details.(hcloud.ErrorDetailsInvalidInput)
	if !ok || len(details.Fields) == 0 {
		return err.Error()
	}
	fields := make([]string, len(details.Fields))
	for i, field := range details.Fields {
		fields[i] = fmt.Sprintf("%s => [%s]", field.Name, strings.Join(field.Messages, " "))
	}
	return fmt.Sprintf("%s: %s", err, strings.Join(fields, ", "))
}
