/** Makes of the document what suits the page: the panel signs, forms are filled in once, and ids are there already. */

const METHODS = ['get', 'post', 'put', 'delete'];
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];

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
  for (const scheme of SIGNED) delete securitySchemes[scheme];
  if (Object.keys(securitySchemes).length === 0) delete document.components.securitySchemes;
  // Every error looks alike: the introduction says how, and an example below each status would only be in the way.
  for (const response of Object.values(document.components.responses)) delete response.content;
  for (const item of Object.values(document.paths)) {
    if (item.servers) item.servers = reach(item.servers);
    for (const method of METHODS) if (item[method]) tailorOperation(item[method], { reach, schemas, known, sandbox });
  }
  return document;
}

/** What the panel's keys are enough for. */
const SIGNED = ['oauth1', 'application', 'basic'];

function tailorOperation(operation, { reach, schemas, known, sandbox }) {
  operation.security = (operation.security ?? []).filter((scheme) => !SIGNED.some((name) => name in scheme));
  if (operation.servers) operation.servers = reach(operation.servers);
  const sandboxOnly = operation['x-sandbox-only'] === true;
  const ids = sandbox || sandboxOnly ? { account_id: known.sandbox_account_id } : known;
  const hasDemo = known.account_id !== undefined;
  // The ids of examples are those of the demo, in the environment where the operation is at home.
  const isElsewhere = (name) => !hasDemo || (sandbox && !sandboxOnly && /_ids?$/.test(name));
  for (const parameter of operation.parameters ?? []) {
    if (isElsewhere(parameter.name)) delete parameter.example;
    fill(parameter, parameter['x-spare'] ? undefined : ids[parameter.name]);
  }
  for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
    markNames(media);
    if (!FORMS.includes(type)) continue;
    const example = Object.entries(media.example ?? {}).filter(([name]) => !isElsewhere(name));
    fillForm(media, { ...Object.fromEntries(example), ...handedOut(operation, known.handout) }, schemas);
  }
}

/** What of a handout an operation takes, by its id: the parameter, and what it is in the handout. */
const HANDED_OUT = {
  accessToken: ['oauth_verifier', 'oauth_verifier'],
  invalidateOAuth2: ['access_token', 'bearer_token'],
};

/** Whether an operation uses up what was handed out. */
export const isHandedOut = ({ operationId }) => operationId in HANDED_OUT;

function handedOut(operation, handout) {
  if (!handout || !isHandedOut(operation)) return {};
  const [parameter, name] = HANDED_OUT[operation.operationId];
  return { [parameter]: handout[name] };
}

/** The names in an example that may stand only once, wherever in it they are. */
function markNames(media) {
  const fields = media['x-unique'] ?? [];
  const inside = (value, field) => {
    if (typeof value === 'string') return fields.includes(field) ? [value] : [];
    return Object.entries(value ?? {}).flatMap(([name, each]) => inside(each, name));
  };
  const names = inside(media.example);
  if (names.length > 0) media['x-names'] = names;
}

/** Swagger UI makes a sample up for every field of a form and sends it: what the example does not name is left empty. */
function fillForm(media, example, schemas) {
  const named = ({ $ref, ...rest }) => ($ref ? { ...schemas[$ref.split('/').pop()], ...rest } : rest);
  const whole = named(media.schema);
  const { properties, ...form } = (whole.allOf ?? [whole]).map(named).reduce((one, other) => ({
    ...one,
    properties: { ...one.properties, ...other.properties },
  }));
  const filled = Object.entries(properties).map(([name, field]) => {
    const schema = { ...named(field.anyOf ? field.anyOf[0] : field) };
    delete schema.examples;
    if (field.description) schema.description = field.description;
    if (schema.format === 'binary') return [name, schema];
    const empty = schema.type === 'array' ? [] : '';
    return [name, { ...schema, default: example[name] ?? empty }];
  });
  media.schema = { ...form, properties: Object.fromEntries(filled) };
  delete media.example;
}

/** The fields of a form as they are filled in at first, by name. */
export const filledIn = (document, path, method) => {
  const { content = {} } = document.paths[path]?.[method]?.requestBody ?? {};
  const [form] = FORMS.flatMap((type) => content[type] ?? []);
  return Object.entries(form?.schema.properties ?? {}).map(([name, field]) => [name, field.default]);
};

/** Swagger UI fills examples of schemas in as if they had been typed: those are no more than examples. */
function fill(parameter, value) {
  if (!parameter.schema) return;
  delete parameter.schema.examples;
  if (!value) return;
  parameter.schema.default = value;
  delete parameter.example;
}

/** A path without the slashes that it ends in, but for the first. */
function withoutSlash(path) {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/**
 * Nothing but the page's own origin can be asked from it. Servers of one origin are where the page is, under whatever name it
 * is read; of several, those of the page are offered. If that is none, all are shown, so that they can be read.
 */
function reachableFrom(href, document) {
  const all = [document.servers, ...Object.values(document.paths).map((item) => item.servers ?? [])].flat();
  const originOf = ({ url }) => new URL(url, href).origin;
  if (new Set(all.map(originOf)).size === 1)
    return (servers) => servers.map((server) => ({ ...server, url: withoutSlash(new URL(server.url, href).pathname) }));
  return (servers) => {
    const here = servers.filter((server) => originOf(server) === new URL(href).origin);
    return here.length > 0 ? here : servers;
  };
}
