import type { Command } from 'commander';
import { DataSource } from 'typeorm';
import { adoptFolder } from '../common/blobs/blob-folder.js';
import { BlobStore } from '../common/blobs/blob-store.js';
import { DiskBlobStore } from '../common/blobs/disk-blob-store.js';
import type { Context, OutputOptions } from './context.js';
import { Refusal } from './refusal.js';

/** `marquee blobs ...` */
export function addBlobsCommands(program: Command, context: Context): void {
  const blobs = program
    .command('blobs')
    .summary('the files of media: adopt')
    .description('The files of media, which all replicas share.');
  blobs
    .command('adopt')
    .summary('declare the folder in DATA_DIR the shared one')
    .description(
      'Declares the folder in DATA_DIR the one that all replicas must share when they start. Needed only after the files were ' +
        'moved without the hidden file .marker, or were lost. Files that are not in the folder stay lost.',
    )
    .option('--json', 'print the folder as JSON')
    .addHelpText('after', '\nExample:\n  $ marquee blobs adopt')
    .action((options: OutputOptions) =>
      context.perform(options, async ({ app }) => {
        const store = app.get(BlobStore);
        if (!(store instanceof DiskBlobStore)) throw new Refusal('BLOB_STORE is s3: all replicas share its bucket.');
        await store.prepare();
        await adoptFolder(app.get(DataSource), store);
        return {
          json: { folder: store.folder },
          text: `All replicas must have access to the files in ${store.folder}.`,
        };
      }),
    );
}
