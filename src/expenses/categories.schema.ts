import { component } from '#http/openapi.ts'
import { Type } from '#platform/schema.ts'
import { line, visibleAscii } from '#platform/values.ts'
import { CATEGORIES_MAX } from './categories.ts'

export const CategoryCode = visibleAscii({
  minLength: 1,
  maxLength: 40,
  description: 'Identifies the category in the organization, such as its account number',
})

const fields = {
  code: CategoryCode,
  name: line({ max: 100, description: 'What members see when they choose a category' }),
}

const CategorySchema = Type.Object(fields, { $id: 'Category', additionalProperties: false })

export const CategoryListSchema = Type.Object({
  categories: Type.Array(component(CategorySchema), {
    description: "In the order of the organization's list",
  }),
})

export const CategoriesBody = Type.Object(
  {
    categories: Type.Array(Type.Object(fields, { additionalProperties: false }), {
      maxItems: CATEGORIES_MAX,
      description: 'All categories, in the order of the list',
    }),
  },
  { additionalProperties: false },
)

export const categoryComponents = [CategorySchema]
