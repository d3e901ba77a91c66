import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { send } from '@fastify/send';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { shippedPath } from '../../common/asset.js';
import { pageNotFound } from '../../common/errors/catalogue.js';

const require = createRequire(import.meta.url);

/** The folders and files that are served; no other file is accessible. */
const FOLDERS: Record<string, { path: string; files: string[] }> = {
  page: {
    path: shippedPath('assets/docs') ?? '',
    files: [
      'index.html',
      'docs.css',
      'page.js',
      'panel.js',
      'plugin.js',
      'sign.js',
      'snippets.js',
      'resolve.js',
      'tailor.js',
      'theme.js',
    ],
  },
  'swagger-ui': {
    path: dirname(require.resolve('swagger-ui-dist/package.json')),
    files: [
      'swagger-ui-bundle.js',
      'swagger-ui.css',
      'favicon-32x32.png',
      'oauth2-redirect.html',
      'oauth2-redirect.js',
    ],
  },
  noble: {
    path: dirname(require.resolve('@noble/hashes/hmac.js')),
    files: ['hmac.js', 'legacy.js', '_md.js', '_u64.js', 'utils.js'],
  },
};

/** The HTML of the page. */
export const PAGE = 'page/index.html';

/** Sends a file of the page by `folder/file`, or 304 when the browser has it; 404 for an unknown name. */
export async function sendAsset(request: FastifyRequest, reply: FastifyReply, name: string): Promise<void> {
  const [folder, file] = name.split('/');
  if (!Object.hasOwn(FOLDERS, folder) || !FOLDERS[folder].files.includes(file)) throw pageNotFound();
  const { statusCode, headers, stream } = await send(request.raw, file, {
    root: FOLDERS[folder].path,
    cacheControl: false,
  });
  await reply
    .status(statusCode)
    .headers({ ...headers, 'cache-control': 'no-cache' })
    .send(stream);
}
