package schema_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/allot-opt/allot/schema"
)

func ExampleText() {
	text, ok := schema.Text("instance")
	if !ok {
		log.Fatal("no such schema")
	}
	var instance struct {
		ID       string   `json:"$id"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(text, &instance); err != nil {
		log.Fatal(err)
	}
	fmt.Println(instance.ID, instance.Required)
	// Output: allot/instance/1 [schema clusters jobs]
}
