import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const LICENSE = /^(licen[cs]e|copying|notice)(\.|-|$)/i;

/** `name` of `name/path`. */
export const packageOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0];

/** The package.json of a folder. */
export const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The licenses of the packages that these bundled files belong to, as one text. */
export function licensesOf(files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = readManifest(join(root, folder));
    const names = readdirSync(join(root, folder)).filter((each) => LICENSE.test(each));
    const notices = names.map((each) => readFileSync(join(root, folder, each), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...notices].join('\n\n');
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
