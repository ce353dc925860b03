"""The words of the stories that `grammar.py` writes: who can be in them, where they are and what they find there.

A line of CAST is "kind: pronouns habitat", with pronouns out of m (he), f (she) and n (it).
"""

CAST = """
girl: f town; boy: m town; little girl: f town; little boy: m town; child: mf town
fox: mf wood; rabbit: mf field; bear: mf wood; mouse: mf house; hedgehog: mf wood; owl: mf wood; squirrel: mf wood; duck: mf water
frog: mf water; turtle: mf water; cat: mf house; kitten: mf house; dog: mf house; puppy: mf house; pig: mf farm; lamb: mf farm; goat: mf farm
horse: mf farm; pony: mf farm; cow: f farm; hen: f farm; chick: mf farm; rooster: m farm; goose: f farm; donkey: mf farm; sheep: mf farm; swan: mf water
otter: mf water; beaver: mf water; badger: mf wood; mole: mf field; deer: mf wood; wolf: mf wood; raccoon: mf wood; lion: mf far; tiger: mf far
elephant: mf far; monkey: mf far; giraffe: mf far; zebra: mf far; camel: mf far; penguin: mf sea; seal: mf sea; whale: mf sea; dolphin: mf sea
crab: mf sea; fish: mf water; snail: mf garden; bee: mf garden; ant: mf garden; butterfly: mf garden; ladybug: mf garden; spider: mf house
caterpillar: mf garden; worm: mf garden; bat: mf wood; crow: mf field; sparrow: mf garden; robin: mf garden; parrot: mf far; pigeon: mf town
dragon: mfn castle; unicorn: mf wood; fairy: f garden; elf: mf wood; giant: m castle; troll: m wood; witch: f wood; wizard: m castle; ghost: mfn castle
robot: mfn town; toy train: n house; teddy bear: mfn house; wooden doll: fn house; snowman: mn town; kite: n town; little boat: n sea; cloud: n sky
star: n sky; old lamp: n house; red bus: n town; tractor: n farm; clock: n house; paper boat: n water; tin soldier: m house; rag doll: fn house
king: m castle; queen: f castle; prince: m castle; princess: f castle; knight: mf castle; farmer: mf farm; baker: mf town; fisherman: m sea
shoemaker: m town; tailor: mf town; gardener: mf garden; painter: mf town; sailor: mf sea; pirate: mf sea; postman: m town; teacher: mf town
woodcutter: m wood; miller: m farm; clockmaker: mf town; astronaut: mf sky; doctor: mf town; old woman: f town; old man: m town; shepherd: mf field
"""

GIRLS = """Mia Lily Anna Emma Lucy Rosie Ella Nora Sara Molly Ruby Daisy Grace Zoe Maya Nina Clara Ivy Amy Kate Jane Alice Tess Hannah Eva Lena Lila
Penny Poppy Olive Hazel Holly Ruth Martha Greta Heidi Elsa Ingrid Freya Sofia Isabel Carmen Lucia Rosa Amina Fatima Leila Yara Priya Asha Mei Yuki Hana
Suki Aiko Ada Bella Betty Dora Edith Fern Flora Gwen Iris June Kitty Luna Mabel Nell Pearl Queenie Stella Tilly Una Vera Willa Winnie""".split()
BOYS = """Tom Ben Sam Max Leo Jack Tim Finn Noah Oscar Peter Paul Henry Hugo Theo Felix Jonas Emil Otto Oliver Toby Billy Bobby Charlie Danny Eddie Freddy
George Harry Ivan Jake Kai Luke Mark Nick Owen Patrick Ravi Amir Omar Ali Hassan Kofi Jamal Diego Carlos Pablo Mateo Luca Marco Anton Boris Jan Lars Nils
Sven Kenji Taro Hiro Wei Arlo Barney Casper Dexter Elmer Floyd Gus Hank Jasper Milo Ned Ollie Percy Quentin Rufus Stanley Walter Zack""".split()
PETS = """Pip Bramble Button Clover Pebble Fluffy Whiskers Hoppy Biscuit Pepper Ginger Maple Nutmeg Acorn Bubbles Dusty Fuzzy Honey Jolly Mossy Muffin
Patch Puddle Rusty Scruffy Shadow Smudge Snowy Socks Spot Sunny Tangle Thistle Tiny Toffee Twig Waddles Willow Wobble Zippy Bolt Rivet Sprocket Beep
Copper Cinder Ember Spark Flicker Glimmer Twinkle Drizzle Misty Breezy Pippin Crumb Dimple Bobbin Pogo Rollo Momo Koko Lulu Bibi Tuk Oki Zuzu""".split()
SYLLABLES = ("Ba Be Bo Bri Ca Co Da De Di Do El Fa Fi Fo Ga Gri Ha Hu Ja Jo Ka Ki Ko La Le Li Lo Ma Me Mi Mo Na Ne Ni No Pa Pe Pi Po Qua Ra Ri Ro Sa Se "
             "Si So Ta Te Ti To Tri U Va Ve Vi Wa We Ya Yo Za Ze Zi Zo").split()
ENDINGS = ("ba bo bby da do dle ddy fi ga go la lo lly ly ma mo mmy my na no nny nn ny pa po ppy ra rro ri ro sa so ssa ta to tty tto va vi wyn x za zo zzy "
           "bert dor lina mina rina lia nia ric nold mund bell bin kin lin min rin").split()

TRAITS = """little small tiny kind brave curious shy clever funny happy cheerful quiet gentle playful young friendly careful hungry sleepy lazy proud grumpy
lonely busy honest stubborn silly polite patient greedy clumsy merry noisy dreamy restless hopeful serious timid bold fat thin round tall old forgetful
hard-working good-hearted bright lucky tired fluffy""".split()

LISTS = {
    "weather": "sunny|rainy|windy|cloudy|snowy|foggy|cold|warm|hot|stormy|frosty|bright|grey|misty|fine|lovely|beautiful|chilly|quiet|golden",
    "tod": "morning|afternoon|evening|day|night|morning|day",
    "season": "spring|summer|autumn|winter",
    "colour": "red|blue|green|yellow|white|black|brown|golden|silver|purple|pink|orange|grey",
    "size": "big|small|tiny|huge|little|great|large",
    "number": "two|three|four|five|six|seven|ten",
    "food": "bread|soup|cake|apples|honey|cheese|pancakes|berries|porridge|cookies|nuts|pie|carrots|milk|jam|pears|plums|buns|noodles|rice|corn|stew",
    "treat": "cake|pie|cookie|bun|pancake|muffin|sweet roll|plum|pear|apple|peach|honey cake|gingerbread",
    "tree": "oak|apple tree|willow|pine|birch|chestnut tree|cherry tree|maple|old tree|fig tree",
    "flower": "rose|daisy|tulip|sunflower|poppy|violet|bluebell|lily",
    "game": "hide and seek|tag|catch|ball|marbles|a guessing game|a game of knights|jumping games|a singing game",
    "insect": "bees|butterflies|crickets|dragonflies|fireflies|ladybugs",
    "sky": "the sun was shining|the sky was blue|a soft wind was blowing|the birds were singing|grey clouds hung over the hills|snow lay on the ground|"
           "rain was tapping on the window|the grass was wet with dew|leaves were falling from the trees|the air smelled of flowers|the moon was full|"
           "the stars were out|mist lay over the fields|the wind was whistling around the house|everything was quiet|the first flowers were open",
    "goodfeel": "happy|glad|proud|pleased|delighted|cheerful|excited|full of joy|very happy|so happy",
    "badfeel": "sad|unhappy|worried|upset|lonely|miserable|very sad|a little sad|sorry|ashamed",
    "slowly": "slowly|carefully|quietly|softly|gently|step by step|on tiptoe",
    "quickly": "quickly|at once|right away|as fast as possible|without waiting|in a hurry",
    "said": "said|said|said|answered|replied",
    "asked": "asked|asked|wondered|wanted to know",
    "cried": "cried|shouted|called|called out|exclaimed",
    "hello": "hello|good morning|good day|hello there|hi",
    "helper": "owl|turtle|old woman|old man|farmer|fisherman|crow|bear|deer|goat|mouse|badger|hedgehog|frog|shepherd|baker|postman|horse|goose|gardener",
    "smallanimal": "bird|mouse|rabbit|duckling|kitten|hedgehog|squirrel|lamb|puppy|butterfly|bee|baby owl|frog|mole|sparrow|chick",
    "moral": "it is good to share|a true friend is worth more than gold|little by little, big things are done|it is better to tell the truth|"
             "being small does not mean being weak|it is all right to ask for help|kindness always comes back|nobody has to be good at everything|"
             "the best things take time|it is brave to say sorry|a promise must be kept|listening is as important as speaking|"
             "even a bad day can end well|everyone is afraid sometimes|work goes faster when friends help|home is where someone waits for you|"
             "a gift from the heart is the best gift|being different is a fine thing|one should look twice before being angry|"
             "mistakes are there to learn from|a kind word costs nothing|those who try again win in the end",
    "build": "boat|house|tower|bridge|sledge|kite|raft|tree house|wagon|windmill|flying machine|castle|snow house|swing",
    "skill": "swim|sing|whistle|skate|fly a kite|dance|read|ride a bicycle|climb trees|bake bread|play the flute|paint|juggle|jump over the stream|tie a bow|count to a hundred",
    "vase": "vase|cup|bowl|lamp|jar|clock|plate|teapot|glass",
    "treasure": "key|coin|ring|shell|marble|bell|button|feather|stone|box|map|whistle|mirror|book|lantern|flute|pearl|spoon|bottle|drum",
    "toy": "ball|kite|drum|doll|boat|top|book|hat|scarf|bell|whistle|blanket|bucket|basket|umbrella|boot|mitten|flute|lantern|spoon|balloon|wagon|wheel|pencil",
    "material": "wood|paper|stones|old boxes|sticks|clay|straw|string|leaves|cloth|shells|snow|bricks",
    "noise": "scratching|humming|tapping|rattling|squeaking|whispering|thumping|ringing|splashing|sniffing|crying|buzzing",
}

PLACES = {
    "wood": ["the forest", "the woods", "the old oak", "the pine trees", "the clearing", "the mossy rocks", "the dark valley", "the fern path", "the hollow tree"],
    "field": ["the meadow", "the fields", "the hill", "the hedge", "the long grass", "the country road", "the stone wall", "the windmill"],
    "house": ["the kitchen", "the attic", "the cellar", "the garden", "the bedroom", "the old shed", "the stairs", "the yard", "the playroom"],
    "farm": ["the barn", "the farmyard", "the haystack", "the orchard", "the pond", "the corn field", "the stable", "the henhouse"],
    "water": ["the pond", "the river", "the lake", "the stream", "the bridge", "the reeds", "the waterfall", "the old mill"],
    "sea": ["the beach", "the harbour", "the lighthouse", "the rocks", "the island", "the cave by the sea", "the pier", "the dunes"],
    "garden": ["the rose bush", "the vegetable garden", "the pond", "the garden gate", "the apple tree", "the flower bed", "the hedge", "the greenhouse"],
    "town": ["the park", "the market", "the school", "the bakery", "the library", "the square", "the river", "the toy shop", "the station", "the playground"],
    "castle": ["the castle", "the tower", "the great hall", "the royal garden", "the drawbridge", "the deep cellar", "the mountain", "the village"],
    "far": ["the river", "the tall grass", "the big tree", "the waterhole", "the desert", "the jungle", "the mountain", "the mud pool"],
    "sky": ["the moon", "the mountain top", "the clouds", "the rainbow", "the sea", "the edge of the sky", "the church tower"],
}

HOMES = {
    "wood": ["in a hollow tree", "in the middle of the forest", "in a hut at the edge of the woods", "under the roots of an old oak", "deep in the green woods"],
    "field": ["under a hedge", "on a green hill", "at the edge of a wide meadow", "in a hole beside the road", "near a quiet village"],
    "house": ["in a small house", "in a house with a red door", "in the corner of a warm kitchen", "on a shelf in an old shop", "in a house by the river"],
    "farm": ["on a farm", "on a little farm behind the hills", "in a red barn", "on a farm near the river", "in a valley full of apple trees"],
    "water": ["beside a pond", "by a clear blue lake", "near the river", "in the reeds", "where the stream meets the river"],
    "sea": ["by the sea", "in a small harbour", "on an island", "in a house near the lighthouse", "far out at sea"],
    "garden": ["in a garden", "under a big leaf", "behind a garden wall", "in a garden full of roses", "among the flowers"],
    "town": ["in a little town", "in a small village", "in a tall house in the city", "at the end of a narrow street", "next to the bakery"],
    "castle": ["in a castle", "in an old stone tower", "on top of a mountain", "in a kingdom far away", "in a cave behind the waterfall"],
    "far": ["in a far country", "in the jungle", "where the grass grows tall", "at the foot of a great mountain", "near a wide river"],
    "sky": ["high up in the sky", "above the roofs of the town", "on the far side of the moon", "over the sea", "up above the mountains"],
}

# Heroes that are not in the cast: a story may be about anything.
THINGS = """teapot pencil spoon pumpkin mountain river tree leaf lantern candle umbrella shoe hat button balloon drum bell broom pillow carpet chair table mirror
window door bridge lighthouse windmill wheel ship submarine rocket bicycle taxi truck crane digger computer calculator radio piano violin trumpet apple pear
carrot potato tomato cabbage mushroom cookie cupcake sandwich cloud raindrop snowflake rainbow wind moon planet comet pebble crystal shadow echo dream letter
book map compass anchor feather acorn seed dandelion cactus sunflower scarecrow puppet marionette clown acrobat magician inventor explorer detective captain
lighthouse-keeper chimney-sweep blacksmith carpenter beekeeper librarian musician dancer singer juggler cook nurse pilot driver diver mermaid phoenix goblin
gnome dwarf ogre sprite monster alien yeti kangaroo koala panda sloth lizard chameleon crocodile hippo rhino gorilla ostrich flamingo peacock pelican seagull
walrus octopus jellyfish starfish shrimp lobster salmon shark hamster gerbil ferret skunk moose reindeer llama buffalo toad tadpole firefly cricket
grasshopper moth beetle centipede lynx leopard cheetah hyena jackal stork crane heron eagle hawk falcon woodpecker magpie raven kingfisher nightingale""".split()
STUFF = "paper glass wooden tin iron stone silver golden copper woollen velvet clay snow clockwork sugar chocolate patchwork flying talking invisible magic".split()
