package service

// OpenAPI is the OpenAPI document of the service.
func OpenAPI() []byte { return []byte("{}") }
