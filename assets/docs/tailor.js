/** Makes of the document what suits the page: the panel signs, forms are filled in once, and ids are there already. */

const METHODS = ['get', 'post', 'put', 'delete'];

/**
 * @param spec the OpenAPI document, which is left as it is
 * @param page `{ href, known, sandbox }`: where the page is, what is known of its user by parameter name, and whether the
 *   sandbox is what they look at
 */
export function tailored(spec, { href, known, sandbox = false }) {
  const document = structuredClone(spec);
  const { schemas, securitySchemes } = document.components;
  const reach = reachableFrom(href, document);
  document.servers = reach(document.servers);
  delete securitySchemes.oauth1;
  delete securitySchemes.application;
  if (Object.keys(securitySchemes).length === 0) delete document.components.securitySchemes;
  // Every error looks alike: the introduction says how, and an example below each status would only be in the way.
  for (const response of Object.values(document.components.responses)) delete response.content;
  for (const item of Object.values(document.paths)) {
    if (item.servers) item.servers = reach(item.servers);
    for (const method of METHODS) if (item[method]) tailorOperation(item[method], { reach, schemas, known, sandbox });
  }
  return document;
}

function tailorOperation(operation, { reach, schemas, known, sandbox }) {
  operation.security = (operation.security ?? []).filter((scheme) => !('oauth1' in scheme || 'application' in scheme));
  if (operation.servers) operation.servers = reach(operation.servers);
  useQuery(operation, schemas);
  const sandboxOnly = operation['x-sandbox-only'] === true;
  const ids = sandbox || sandboxOnly ? { account_id: known.sandbox_account_id } : known;
  const hasDemo = known.account_id !== undefined;
  for (const parameter of operation.parameters ?? []) {
    const { name } = parameter;
    // The ids of examples are those of the demo, in the environment where the operation is at home.
    const elsewhere = !hasDemo || (sandbox && !sandboxOnly && /_ids?$/.test(name));
    if (elsewhere) delete parameter.example;
    fill(parameter, parameter['x-spare'] ? undefined : ids[name]);
  }
}

/** Where parameters may come in the query or in a form, the query is it: Swagger UI fills in and sends a form completely. */
function useQuery(operation, schemas) {
  if (!operation.requestBody?.['x-also-in-query']) return;
  const { schema, encoding = {}, example = {} } = operation.requestBody.content['application/x-www-form-urlencoded'];
  const form = schema.$ref ? schemas[schema.$ref.split('/').pop()] : schema;
  delete operation.requestBody;
  const parameters = Object.entries(form.properties).map(([name, field]) => ({
    name,
    in: 'query',
    required: form.required?.includes(name) ?? false,
    description: field.description,
    schema: structuredClone(field.anyOf ? field.anyOf[0] : field),
    ...encoding[name],
    ...(name in example && { example: example[name] }),
  }));
  operation.parameters = [...(operation.parameters ?? []), ...parameters];
}

/** Swagger UI fills examples of schemas in as if they had been typed: those are no more than examples. */
function fill(parameter, value) {
  if (!parameter.schema) return;
  delete parameter.schema.examples;
  if (!value) return;
  parameter.schema.default = value;
  delete parameter.example;
}

/**
 * Nothing but the page's own origin can be asked from it. Servers of one origin are where the page is, under whatever name it
 * is read; of several, those of the page are offered. If that is none, all are shown, so that they can be read.
 */
function reachableFrom(href, document) {
  const all = [document.servers, ...Object.values(document.paths).map((item) => item.servers ?? [])].flat();
  const originOf = ({ url }) => new URL(url, href).origin;
  if (new Set(all.map(originOf)).size === 1)
    return (servers) =>
      servers.map((server) => ({ ...server, url: new URL(server.url, href).pathname.replace(/(.)\/+$/, '$1') }));
  return (servers) => {
    const here = servers.filter((server) => originOf(server) === new URL(href).origin);
    return here.length > 0 ? here : servers;
  };
}
