import { chmodSync, closeSync, openSync, statSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../config/config.js';
import { readDemoCredentials, docsKeyOf } from '../demo/credentials-file.js';
import { type OutputOptions, print } from './context.js';
import { baseUrlsOf, findCredentials, type NamedCredentials } from './credentials/credentials.js';
import type { Credentials } from './credentials/profiles.js';
import { profileName } from './credentials/profiles.js';
import { collectValues } from './parsing.js';
import type { Terminal } from './terminal.js';

const FILE = 'marquee.postman_environment.json';

interface PostmanOptions extends OutputOptions, NamedCredentials {
  name: string;
}

/** `marquee postman`: writes the environment of the Postman collection. */
export function addPostmanCommand(program: Command, terminal: Terminal): void {
  program
    .command('postman')
    .summary('write the environment of the Postman collection')
    .description(
      'Writes the URLs, keys and ids that the Postman collection of Marquee uses into an environment file, which only its owner can ' +
        'read. Import it together with the collection, docs/marquee.postman_collection.json. The credentials are found as those of ' +
        '`marquee request`. With those of the demo the environment also has the ids of the examples.',
    )
    .argument('[file]', 'the file to write, or - for standard output', FILE)
    .option(
      '-c, --credentials <file>',
      'use these credentials; may be repeated, later files override earlier ones',
      collectValues,
    )
    .option('-p, --profile <name>', 'use this login', profileName)
    .option('--name <name>', 'the name of the environment in Postman', 'Marquee')
    .option('--json', 'print {"environment": <path>}')
    .addHelpText(
      'after',
      '\nExamples:\n  $ marquee postman\n  $ marquee postman staging.postman_environment.json --profile staging',
    )
    .action((file: string, options: PostmanOptions) => {
      const { credentials } = findCredentials(options);
      const text = `${JSON.stringify(environmentOf(options.name, credentials), null, 2)}\n`;
      if (file === '-') return terminal.out(text);
      closeSync(openSync(file, 'a', 0o600));
      // an existing file would keep its mode, as a device must
      if (statSync(file).isFile()) chmodSync(file, 0o600);
      writeFileSync(file, text);
      print(terminal, options, {
        json: { environment: file },
        text: `Postman can import ${file}. It contains secrets.`,
      });
    });
}

/** The environment in Postman's format. */
function environmentOf(name: string, credentials: Credentials) {
  const urls = baseUrlsOf(credentials);
  const demo = demoOf(credentials);
  const values = {
    base_url: urls.auth(),
    ads_base_url: urls.ads(),
    ads_sandbox_base_url: urls.sandbox(),
    ...credentials,
    ...demo?.examples,
    ...(demo && { docs_key: docsKeyOf(demo) }),
  };
  const isSecret = (key: string) => /secret|token|password|key$/.test(key) && !/^spare_media_key|^media_key/.test(key);
  return {
    name,
    values: Object.entries(values).flatMap(([key, value]) =>
      typeof value === 'string' ? [{ key, value, enabled: true, type: isSecret(key) ? 'secret' : 'default' }] : [],
    ),
    _postman_variable_scope: 'environment',
  };
}

/** The demo, when the credentials are those of its application. */
function demoOf({ consumer_key }: Credentials) {
  const demo = readDemoCredentials(readConfig().dataDir);
  return demo?.consumer_key === consumer_key ? demo : undefined;
}
