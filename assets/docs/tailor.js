/** Makes of the document what suits the page: the panel signs, forms are filled in once, and ids are there already. */

const METHODS = ['get', 'post', 'put', 'delete'];

/**
 * @param spec the OpenAPI document, which is left as it is
 * @param page `{ href, known, sandbox }`: where the page is, what is known of its user by parameter name, and whether the
 *   sandbox is what they look at
 */
export function tailored(spec, { href, known, sandbox = false }) {
  const document = structuredClone(spec);
  document.servers = reachable(document.servers, href);
  const { securitySchemes } = document.components;
  delete securitySchemes.oauth1;
  delete securitySchemes.application;
  if (Object.keys(securitySchemes).length === 0) delete document.components.securitySchemes;
  // Every error looks alike: the introduction says how, and an example below each status would only be in the way.
  for (const response of Object.values(document.components.responses)) delete response.content;
  for (const item of Object.values(document.paths)) {
    if (item.servers) item.servers = reachable(item.servers, href);
    for (const method of METHODS) if (item[method]) tailorOperation(item[method], { href, known, sandbox });
  }
  return document;
}

function tailorOperation(operation, { href, known, sandbox }) {
  operation.security = (operation.security ?? []).filter((scheme) => !('oauth1' in scheme || 'application' in scheme));
  if (operation.servers) operation.servers = reachable(operation.servers, href);
  useQuery(operation);
  const inSandbox = sandbox || operation['x-sandbox-only'] === true;
  const ids = inSandbox ? { account_id: known.sandbox_account_id } : known;
  for (const { name, schema } of operation.parameters ?? []) fill(schema, ids[name]);
}

/** Where parameters may come in the query or in a form, the query is it: Swagger UI fills in and sends a form completely. */
function useQuery(operation) {
  const form = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema;
  const parameters = (operation.parameters ?? []).filter(
    ({ in: place, name }) => place === 'query' && form?.properties[name],
  );
  if (parameters.length === 0) return;
  delete operation.requestBody;
  for (const parameter of parameters) {
    parameter.required = form.required?.includes(parameter.name) ?? false;
    parameter.description = form.properties[parameter.name].description;
  }
}

/** Swagger UI fills examples in as if they had been typed: ours are no more than examples. */
function fill(schema, value) {
  if (!schema) return;
  delete schema.example;
  if (value) schema.default = value;
}

/** Nothing but the page's own origin can be asked from it. If that is none of them, all are shown, so that they can be read. */
function reachable(servers, href) {
  const here = servers.filter(({ url }) => new URL(url, href).origin === new URL(href).origin);
  return here.length > 0 ? here : servers;
}
