import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { AccountMediaController } from './account-media/account-media.controller.js';
import { AccountMediaService } from './account-media/account-media.service.js';
import { CardStore } from './card-content/card-store.service.js';
import { AllCardsController, CardsController } from './cards/cards.controller.js';
import { CardsService } from './cards/cards.service.js';
import {
  ImageConversationCardsController,
  VideoConversationCardsController,
} from './conversation-cards/conversation-cards.controller.js';
import { ConversationCardsService } from './conversation-cards/conversation-cards.service.js';
import { CreativesExport } from './creatives-export.service.js';
import { CreativesRemoval } from './creatives-removal.service.js';
import { DraftPostsController } from './draft-posts/draft-posts.controller.js';
import { DraftPostsService } from './draft-posts/draft-posts.service.js';
import { DraftPreviewsService } from './draft-posts/draft-previews.service.js';
import { LeadFormsController } from './lead-forms/lead-forms.controller.js';
import { LeadFormsService } from './lead-forms/lead-forms.service.js';
import { LeadsService } from './leads/leads.service.js';
import { LeadsUpkeepJob } from './leads/leads-upkeep.job.js';
import { LibraryMediaQueries } from './media-library/library-media.queries.js';
import { MediaLibraryController } from './media-library/media-library.controller.js';
import { MediaLibraryService } from './media-library/media-library.service.js';
import { ChunkedUploadsService } from './media-upload/chunked-uploads.service.js';
import { ExpiredMediaJob } from './media-upload/expired-media.job.js';
import { MediaFilesController } from './media-files/media-files.controller.js';
import { MediaFilesService } from './media-files/media-files.service.js';
import { MediaLook } from './media-inspection/media-look.service.js';
import { MediaReaders } from './media-inspection/media-readers.service.js';
import { MediaProcessing } from './media-upload/media-processing.job.js';
import {
  MediaMetadataController,
  MediaUploadsController,
  MediaV2Controller,
} from './media-upload/media-uploads.controller.js';
import { MediaLookupController } from './media-upload/media-lookup.controller.js';
import { MediaSubtitlesV1Controller, MediaSubtitlesController } from './media-upload/media-subtitles.controller.js';
import { MediaSubtitlesService } from './media-upload/media-subtitles.service.js';
import { MediaUploadsService } from './media-upload/media-uploads.service.js';
import { MediaUrls } from './media-files/media-urls.js';
import { DynamicProductCardsController } from './dynamic-product-cards/dynamic-product-cards.controller.js';
import { DynamicProductCardsService } from './dynamic-product-cards/dynamic-product-cards.service.js';
import { PreviewedProducts } from './post-previews/previewed-products.service.js';
import { PollCardsController } from './poll-cards/poll-cards.controller.js';
import { PollCardsService } from './poll-cards/poll-cards.service.js';
import { NotificationsController } from './post-previews/notifications.controller.js';
import { OldNotificationsJob } from './post-previews/old-notifications.job.js';
import { PostPreviewsController, ScheduledPreviewsController } from './post-previews/post-previews.controller.js';
import { PostPreviewsService } from './post-previews/post-previews.service.js';
import { PreviewedPostsService } from './post-previews/previewed-posts.service.js';
import { PreviewMediaService } from './post-previews/preview-media.service.js';
import { PreviewLinks } from './post-previews/preview-links.js';
import { PreviewNotificationsService } from './post-previews/preview-notifications.service.js';
import { PreviewPageController } from './post-previews/preview-page.controller.js';
import { PreviewPages } from './post-previews/preview-pages.js';
import { AuthorCountries } from './post-terms/author-countries.service.js';
import { PostComposer } from './composition/post-composer.service.js';
import { PostPublication } from './posts/post-publication.service.js';
import { PostTermsService } from './post-terms/post-terms.service.js';
import { PostQueries } from './posts/post.queries.js';
import { PostController, PostsController } from './posts/posts.controller.js';
import { PostsRemoval } from './posts/posts-removal.service.js';
import { PostsService } from './posts/posts.service.js';
import { PromotablePosts } from './posts/promotable-posts.service.js';
import { ProfileImageController } from './posts/profile-image.controller.js';
import { SeenPosts } from './posts/seen-posts.service.js';
import { PromotableScheduledPosts } from './scheduled-posts/promotable-scheduled-posts.service.js';
import { PublishedPosts } from './scheduled-posts/published-posts.js';
import { ScheduledPostsController } from './scheduled-posts/scheduled-posts.controller.js';
import { ScheduledPostsJob } from './scheduled-posts/scheduled-posts.job.js';
import { ScheduledPostsService } from './scheduled-posts/scheduled-posts.service.js';

@Module({
  imports: [AccountsModule, AuthModule],
  controllers: [
    AccountMediaController,
    AllCardsController,
    CardsController,
    DraftPostsController,
    ImageConversationCardsController,
    LeadFormsController,
    MediaFilesController,
    MediaLibraryController,
    MediaUploadsController,
    MediaV2Controller,
    MediaMetadataController,
    MediaLookupController,
    MediaSubtitlesController,
    MediaSubtitlesV1Controller,
    NotificationsController,
    DynamicProductCardsController,
    PollCardsController,
    PostController,
    PostPreviewsController,
    PostsController,
    PreviewPageController,
    ProfileImageController,
    ScheduledPostsController,
    ScheduledPreviewsController,
    VideoConversationCardsController,
  ],
  providers: [
    AccountMediaService,
    AuthorCountries,
    CardStore,
    CardsService,
    ChunkedUploadsService,
    ConversationCardsService,
    CreativesExport,
    CreativesRemoval,
    DraftPostsService,
    DraftPreviewsService,
    ExpiredMediaJob,
    LeadFormsService,
    LeadsService,
    LeadsUpkeepJob,
    LibraryMediaQueries,
    MediaFilesService,
    MediaLibraryService,
    MediaLook,
    MediaProcessing,
    MediaReaders,
    MediaSubtitlesService,
    MediaUploadsService,
    MediaUrls,
    OldNotificationsJob,
    DynamicProductCardsService,
    PollCardsService,
    PreviewedProducts,
    PostComposer,
    PostPublication,
    PostPreviewsService,
    PreviewedPostsService,
    PreviewMediaService,
    PostQueries,
    PostTermsService,
    PostsRemoval,
    PostsService,
    PreviewLinks,
    PreviewNotificationsService,
    PreviewPages,
    PromotablePosts,
    PromotableScheduledPosts,
    PublishedPosts,
    ScheduledPostsJob,
    ScheduledPostsService,
    SeenPosts,
  ],
  exports: [
    PreviewedProducts,
    AccountMediaService,
    AuthorCountries,
    CardsService,
    CreativesExport,
    DraftPostsService,
    LeadsService,
    MediaLibraryService,
    MediaUploadsService,
    MediaUrls,
    PostTermsService,
    PostsService,
    PromotablePosts,
    PromotableScheduledPosts,
    PublishedPosts,
    ScheduledPostsService,
  ],
})
export class CreativesModule {}
