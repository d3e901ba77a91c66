import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { resolve } = createRequire(import.meta.url);

/** Three levels up from here lies the tree's root in src, four in dist. */
const own = ['../../../assets/docs', '../../../../assets/docs']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

/** The folders that files are served from, and which of them: nothing else can be asked for. */
const FOLDERS: Record<string, { path: string; files: string[] }> = {
  page: { path: own ?? '', files: ['index.html', 'docs.css', 'page.js', 'panel.js', 'sign.js', 'tailor.js'] },
  'swagger-ui': {
    path: dirname(resolve('swagger-ui-dist/package.json')),
    files: ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'],
  },
  noble: {
    path: dirname(resolve('@noble/hashes/hmac.js')),
    files: ['hmac.js', 'legacy.js', '_md.js', '_u64.js', 'utils.js'],
  },
};

/** The page itself. */
export const PAGE = 'page/index.html';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};

export interface Asset {
  content: Buffer;
  type: string;
  etag: string;
}

/** A file of the page by `folder/file`; undefined where there is none of that name to be had. */
export async function assetOf(name: string): Promise<Asset | undefined> {
  const [folder, file] = name.split('/');
  if (!Object.hasOwn(FOLDERS, folder) || !FOLDERS[folder].files.includes(file)) return undefined;
  const path = join(FOLDERS[folder].path, file);
  const { size, mtimeMs } = await stat(path);
  return {
    content: await readFile(path),
    type: TYPES[extname(file)],
    etag: `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`,
  };
}
