import { defineResource } from '../../accounts/resources/resource-definition.js';
import { LibraryMedia, ONE_OF_EACH } from '../entities/library-media.entity.js';

/** Deleting one does not change the posts and cards that use it. */
export const LIBRARY_MEDIA = defineResource<LibraryMedia>({
  entity: LibraryMedia,
  name: 'LIBRARY_MEDIA',
  label: 'Media',
  parameter: 'media_key',
  // Another request may add the same media concurrently.
  uniques: [{ index: ONE_OF_EACH, columns: ['mediaKey'] }],
  snapshot: ({ mediaKey, mediaType, name, fileName, title, description }) => ({
    media_key: mediaKey,
    media_type: mediaType,
    name,
    file_name: fileName ?? '',
    title,
    description,
  }),
});
