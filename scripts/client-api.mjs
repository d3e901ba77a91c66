#!/usr/bin/env node
/**
 * `npm run client-api` writes what others take from openapi.json. packages/client takes the types of the operations, without texts
 * so that the package stays small, and the few facts that it needs while it runs. The command line takes the operations of the
 * workbench. `--check` writes nothing and fails if a file is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { format } from 'prettier';

const root = new URL('../', import.meta.url);
const HEADER = '// Written by `npm run client-api` from openapi.json. Do not edit.\n';

const METHODS = ['get', 'put', 'post', 'delete'];
const JSON_TYPE = 'application/json';
/** What the document says of a value and a type cannot express, and texts. A default would also make a property required. */
const NOT_IN_TYPES = new Set([
  ...['default', 'description', 'example', 'format', 'maxItems', 'maxLength', 'maximum', 'minItems', 'minLength'],
  ...['minimum', 'pattern', 'summary', 'title'],
]);

const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, operation: item[method] })),
  );

/** Calls `visit` with each object at or below a value. */
function walk(value, visit) {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value);
  for (const each of Object.values(value)) walk(each, visit);
}

/** Removes operations that no user signs, and second spellings of paths. */
function removeOthers(document) {
  for (const { path, method, operation } of operationsOf(document)) {
    const isSigned = operation.security?.some(({ oauth1 }) => oauth1);
    const isAlias = operation.description?.startsWith('The same as ');
    if (!isSigned || isAlias) delete document.paths[path][method];
    if (!METHODS.some((each) => document.paths[path][each])) delete document.paths[path];
  }
}

/** Leaves what a caller passes in and what a successful response has. Errors are one class of the client. */
function reduce(document) {
  delete document.webhooks;
  for (const { operation } of operationsOf(document)) {
    operation.parameters = operation.parameters?.filter((parameter) => parameter.in !== 'header');
    for (const [status, response] of Object.entries(operation.responses)) {
      delete response.headers;
      if (!status.startsWith('2')) delete operation.responses[status];
    }
  }
  walk(document.paths, removeTexts);
  walk(document.components.schemas, removeTexts);
}

function removeTexts(node) {
  // an object below one of these names is a property that has the name
  for (const [key, value] of Object.entries(node))
    if (NOT_IN_TYPES.has(key) && typeof value !== 'object') delete node[key];
  if (node.example?.type === undefined && node.example?.$ref === undefined) delete node.example;
  if (node.examples?.type === undefined && node.examples?.$ref === undefined) delete node.examples;
}

function removeUnusedSchemas({ paths, components }) {
  const used = {};
  const use = (part) =>
    walk(part, ({ $ref }) => {
      const name = typeof $ref === 'string' && /^#\/components\/schemas\/(.+)$/.exec($ref)?.[1];
      if (!name || used[name]) return;
      used[name] = components.schemas[name];
      use(used[name]);
    });
  use(paths);
  for (const key of Object.keys(components)) delete components[key];
  components.schemas = Object.fromEntries(Object.entries(used).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The types, without the lines that only say what does not exist, and without indentation: compressed, it would still be 700 bytes. */
async function typesOf(document) {
  const text = astToString(await openapiTS(document));
  return text
    .replace(/^ +(\w+\?: never;|\/\*\* @enum \{string\} \*\/)\n/gm, '')
    .replace(/^ +headers: \{\n +\[name: string\]: unknown;\n +\};\n/gm, '')
    .replace(/^ +parameters: \{\s*\};\n(?= +(get|put|post|delete):)/gm, '')
    .replace(/^ +/gm, '');
}

/** Bodies are forms unless they are listed here. */
function factsOf(document) {
  const bodies = operationsOf(document).flatMap(({ path, method, operation }) => {
    const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
    return schema ? [{ path, method: method.toUpperCase(), schema }] : [];
  });
  const batches = bodies.filter(({ schema }) => schema.type === 'array');
  const objects = bodies.filter(({ schema }) => schema.type !== 'array');
  return `
/** @internal Operations whose body is a JSON object. All other objects are sent as forms, and lists as JSON. */
export const JSON_OBJECTS: ReadonlySet<string> = new Set(${JSON.stringify(objects.map(({ method, path }) => `${method} ${path}`))});

/** Maximum number of operations in a batch. */
export const BATCH_SIZES = ${JSON.stringify(Object.fromEntries(batches.map(({ path, schema }) => [path, schema.maxItems])))} as const;
`;
}

const WORKBENCH = '/workbench/';

/** The operations of the workbench: where each is, what it does and what its parameters are. */
function workbenchOperations(document) {
  const schemaOf = ({ $ref, ...own }) =>
    $ref ? { ...document.components.schemas[$ref.split('/').at(-1)], ...own } : own;
  const aboutOf = ({ description, enum: values = [] }) =>
    values.some((each) => !description.includes(each)) ? `${description} ${values.join(', ')}.` : description;
  const operations = operationsOf(document).filter(({ path }) => path.startsWith(WORKBENCH));
  const entries = operations.map(({ path, method, operation }) => {
    const { operationId, summary, description, parameters = [], requestBody } = operation;
    const form = requestBody?.content['application/x-www-form-urlencoded'];
    const fields = Object.entries(form ? schemaOf(form.schema).properties : {});
    const described = [
      ...parameters.map((parameter) => [parameter.name, aboutOf({ ...schemaOf(parameter.schema), ...parameter })]),
      ...fields.map(([name, schema]) => [name, aboutOf(schemaOf(schema))]),
    ];
    const sentences = [`${summary}.`, description].filter((each, i, [first]) => i === 0 || each !== first);
    return [
      operationId,
      {
        method: method.toUpperCase(),
        path: path.slice(WORKBENCH.length),
        description: sentences.join(' '),
        parameters: Object.fromEntries(described),
      },
    ];
  });
  // doc comments escape the end of a comment
  return `${JSON.stringify(Object.fromEntries(entries), null, 2).replaceAll('*\\\\/', '*/')}\n`;
}

async function files() {
  const document = JSON.parse(readFileSync(new URL('openapi.json', root), 'utf8'));
  const workbench = workbenchOperations(document);
  removeOthers(document);
  const facts = await format(HEADER + factsOf(document), { parser: 'typescript', singleQuote: true, printWidth: 120 });
  reduce(document);
  removeUnusedSchemas(document);
  return {
    'packages/client/api.d.ts': HEADER + (await typesOf(document)),
    'packages/client/src/operations.ts': facts,
    'src/cli/workbench/operations.json': workbench,
  };
}

const readOrNothing = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
};

for (const [path, text] of Object.entries(await files())) {
  const target = new URL(path, root);
  if (!process.argv.includes('--check')) writeFileSync(target, text);
  else if (readOrNothing(target) !== text) {
    console.error(`${path} is out of date: run \`npm run client-api\`.`);
    process.exitCode = 1;
  }
}
