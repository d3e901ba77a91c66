import { Get } from '@nestjs/common';
import { CallerController } from '../../../auth/guards/ads-controller.js';
import { ReturnsList } from '../../../common/http/answers/returns.js';
import { ContentCategoriesService } from './content-categories.service.js';
import { ContentCategoryView, presentContentCategory } from './content-category.presenter.js';

@CallerController('content_categories', { tag: 'Reference data' })
export class ContentCategoriesController {
  constructor(private readonly categories: ContentCategoriesService) {}

  /** Lists the content categories of videos that can carry ads, on one page. */
  @Get()
  @ReturnsList(ContentCategoryView, { next_cursor: true, total_count: true })
  async list() {
    return (await this.categories.list()).map(presentContentCategory);
  }
}
