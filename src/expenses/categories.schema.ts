import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { line, visibleAscii } from '#platform/values.ts'
import { CATEGORIES_MAX } from './categories.ts'

export const CategoryCode = visibleAscii({ minLength: 1, maxLength: 40 })

const CategorySchema = Type.Object(
  { code: CategoryCode, name: line({ max: 100 }) },
  { $id: 'Category', additionalProperties: false },
)

export const CategoryListSchema = Type.Object({
  categories: Type.Array(component(CategorySchema), {
    description: "In the order of the organization's list",
  }),
})

export const CategoriesBody = Type.Object(
  {
    categories: Type.Array(
      Type.Object(
        { code: CategoryCode, name: line({ max: 100 }) },
        { additionalProperties: false },
      ),
      { maxItems: CATEGORIES_MAX, description: 'All categories, in the order of the list' },
    ),
  },
  { additionalProperties: false },
)

export const categoryComponents = [CategorySchema]
