# A plan, a tenant, its domain and a key for its uploads, by the operator's API (docs/operator-api.md) and a provider for any REST API.

terraform {
  required_providers {
    restapi = {
      source  = "Mastercard/restapi"
      version = "~> 1.20"
    }
  }
}

variable "operator_token" {
  type      = string
  sensitive = true
}

provider "restapi" {
  uri                  = "http://127.0.0.1:3001"
  write_returns_object = true
  create_method        = "PUT"
  update_method        = "PUT"
  headers              = { Authorization = "Bearer ${var.operator_token}" }
}

resource "restapi_object" "pro" {
  path         = "/operator/plans"
  create_path  = "/operator/plans/{id}"
  object_id    = "pro"
  id_attribute = "data/name"
  data         = jsonencode({ domains = 20 })
}

resource "restapi_object" "tenant" {
  path         = "/operator/accounts/by-ref"
  create_path  = "/operator/accounts/by-ref/{id}"
  object_id    = "tenant-4711"
  id_attribute = "data/ref"
  data         = jsonencode({ name = "Acme", plan = "pro" })
  depends_on   = [restapi_object.pro]
}

locals {
  account_id = jsondecode(restapi_object.tenant.api_response).data.id
}

resource "restapi_object" "domain" {
  path         = "/operator/domains"
  create_path  = "/operator/accounts/${local.account_id}/domains/sitemaps.example.com"
  update_path  = "/operator/accounts/${local.account_id}/domains/sitemaps.example.com"
  id_attribute = "data/id"
  data         = jsonencode({ website = false })
}

# A key never changes: another name or other limits make another key.
resource "restapi_object" "key" {
  path          = "/operator/keys"
  create_method = "POST"
  create_path   = "/operator/accounts/${local.account_id}/keys"
  id_attribute  = "data/id"
  data          = jsonencode({ name = "CI", actions = ["upload"], domains = ["sitemaps.example.com"] })
  force_new     = ["data"]
  depends_on    = [restapi_object.domain]
}

# The customer points the hostname here.
output "cname_target" {
  value = jsondecode(restapi_object.domain.create_response).data.cnameTarget
}

output "key" {
  value     = jsondecode(restapi_object.key.create_response).data.key
  sensitive = true
}
